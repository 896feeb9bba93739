import { describe, expect, test } from 'vitest'
import { Distributions, Numbers, render } from './families.ts'
import { Metrics } from './metrics.ts'

describe('the Prometheus text format', () => {
  test('of a counter has its labels sorted and escaped', () => {
    const counter = new Numbers('requests_total', { type: 'counter', help: 'Requests.', labels: ['verb', 'code'] })
    expect(render(counter)).toBe('')
    counter.of('GET', '200').value += 2
    counter.of('a"b\\c\nd', '500').value++
    expect(render(counter)).toBe(
      [
        '# HELP requests_total Requests.',
        '# TYPE requests_total counter',
        'requests_total{code="200",verb="GET"} 2',
        'requests_total{code="500",verb="a\\"b\\\\c\\nd"} 1',
        '',
      ].join('\n'),
    )
  })

  test('of a histogram has cumulative buckets', () => {
    const histogram = new Distributions('seconds', { type: 'histogram', help: 'Seconds.', labels: ['verb'], buckets: [0.1, 1] })
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.of('GET').observe(value)
    expect(render(histogram)).toBe(
      [
        '# HELP seconds Seconds.',
        '# TYPE seconds histogram',
        'seconds_bucket{verb="GET",le="0.1"} 2',
        'seconds_bucket{verb="GET",le="1"} 3',
        'seconds_bucket{verb="GET",le="+Inf"} 4',
        'seconds_sum{verb="GET"} 7.65',
        'seconds_count{verb="GET"} 4',
        '',
      ].join('\n'),
    )
  })
})

test('the samples of several places are added, and names of another release are left out', () => {
  const [one, other, scrape] = [new Metrics(), new Metrics(), new Metrics()]
  for (const metrics of [one, other]) {
    metrics.measure('workqueue_adds_total', ['outbox'], 2)
    metrics.measure('workqueue_work_duration_seconds', ['outbox'], 0.5)
  }
  for (const metrics of [one, other]) scrape.merge(JSON.parse(JSON.stringify(metrics.read())))
  scrape.merge({ later_total: [[[], 1]] })
  expect(scrape.families().map(({ name }) => name)).toEqual(['workqueue_adds_total', 'workqueue_work_duration_seconds'])
  expect(scrape.numbers('workqueue_adds_total').read()).toEqual([[['outbox'], 4]])
  const [[, , sum, count] = []] = scrape.distributions('workqueue_work_duration_seconds').read()
  expect([sum, count]).toEqual([1, 2])
})
