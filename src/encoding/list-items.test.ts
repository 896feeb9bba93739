import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ListItems, type ListPart } from './list-items.ts'

test('a list in JSON is split into its objects, however its bytes are cut into chunks', () => {
  const items = [{ a: '},{"' }, { b: [1, ['ü']] }, { c: '\\"]' }]
  const before = '{"kind":"L","metadata":{"resourceVersion":"1"},"items":['
  const behind = '],"behind":{"x":[1]}}'
  const whole = Buffer.from(before + items.map((item) => JSON.stringify(item)).join(',') + behind)
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
      const splitter = new ListItems()
      const parts: ListPart[] = []
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length]
      for (let i = 1; i < places.length; i++) parts.push(...splitter.write(whole.subarray(places[i - 1], places[i])))
      parts.push(splitter.end())
      expect(parts).toEqual([
        { kind: 'head', text: before, key: 'items' },
        ...items.map((item) => ({ kind: 'item', text: JSON.stringify(item) })),
        { kind: 'end', text: behind },
      ])
    }),
  )
})
