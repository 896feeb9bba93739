import { describe, expect, test } from 'vitest'
import { scheduleError } from './schedule.ts'

describe('scheduleError', () => {
  test.each(['* * * * *', '*/5 0-6/2 1,15 JAN-mar mon', '@daily', '@every 1h', 'TZ=Europe/Paris 0 0 * * *'])(
    '%s is a valid schedule',
    (schedule) => {
      expect(scheduleError(schedule)).toBeUndefined()
    },
  )

  test.each([
    ['every day', 'expected exactly 5 fields, found 2: [every day]'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['0 0 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
  ])('%s', (schedule, message) => {
    expect(scheduleError(schedule)).toBe(message)
  })
})
