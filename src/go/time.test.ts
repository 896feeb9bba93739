import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalMicroTime, canonicalTime, parseTime, RFC3339_MICRO, rfc3339Micro, rfc3339Seconds, sameTime } from './time.ts'

describe('parseTime and canonicalTime', () => {
  test.each([
    ['2001-02-03T04:05:06Z', '2001-02-03T04:05:06Z'],
    ['2001-02-03T04:05:06+01:00', '2001-02-03T03:05:06Z'],
    ['2000-02-29T23:59:59.999999999-00:01', '2000-03-01T00:00:59Z'],
    ['2001-02-03T4:05:06,5Z', '2001-02-03T04:05:06Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', null],
  ])('%s is canonically %s', (text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical)
  })

  test.each([
    ['yesterday', 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'],
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    ['2001-02-03', 'parsing time "2001-02-03" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2001-13-03T04:05:06Z', 'parsing time "2001-13-03T04:05:06Z": month out of range'],
    ['2001-02-29T04:05:06Z', 'parsing time "2001-02-29T04:05:06Z": day out of range'],
    ['2001-02-03T24:05:06Z', 'parsing time "2001-02-03T24:05:06Z": hour out of range'],
    ['2001-02-03T04:05:06', 'parsing time "2001-02-03T04:05:06" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
    ['2001-02-03T04:05:06Z é"', 'parsing time "2001-02-03T04:05:06Z \\xc3\\xa9\\"": extra text: " \\xc3\\xa9\\""'],
    ['2001-02-03T04:05:06+25:00', 'parsing time "2001-02-03T04:05:06+25:00": time zone offset hour out of range'],
    ['2001-02-03T04:05:06+25:61', 'parsing time "2001-02-03T04:05:06+25:61": time zone offset minute out of range'],
  ])('parseTime rejects %j', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(new Error(message))
  })

  test('MicroTime has six digits', () => {
    expect(canonicalMicroTime('2001-02-03T04:05:06.000001+00:00')).toBe('2001-02-03T04:05:06.000001Z')
    expect(() => parseTime('2001-02-03T04:05:06Z', RFC3339_MICRO)).toThrow(
      'parsing time "2001-02-03T04:05:06Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    )
  })

  test('parseTime reads every text of formatTime', () => {
    const years = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }
    fc.assert(
      fc.property(fc.date(years), (date) => {
        const ms = date.getTime()
        expect(parseTime(rfc3339Seconds(ms)).seconds).toBe(Math.floor(ms / 1000))
        const { seconds, nanoseconds } = parseTime(rfc3339Micro(ms), RFC3339_MICRO)
        expect(seconds * 1000 + nanoseconds / 1_000_000).toBe(ms)
      }),
    )
  })

  test('sameTime compares times with different offsets', () => {
    expect(sameTime('2001-02-03T04:05:06Z', '2001-02-03T05:05:06+01:00')).toBe(true)
    expect(sameTime('2001-02-03T04:05:06Z', '2001-02-03T04:05:06.1Z')).toBe(false)
    expect(sameTime(undefined, undefined)).toBe(true)
    expect(sameTime(undefined, '2001-02-03T04:05:06Z')).toBe(false)
  })
})
