import { expect, test } from 'vitest'
import { humanDuration } from './human-duration.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR

test.each([
  [-2 * SECOND, '<invalid>'],
  [-1999, '0s'],
  [0, '0s'],
  [999, '0s'],
  [119_999, '119s'],
  [120 * SECOND, '2m'],
  [125 * SECOND, '2m5s'],
  [600 * SECOND, '10m'],
  [3 * HOUR - 1, '179m'],
  [3 * HOUR, '3h'],
  [3 * HOUR + 60 * SECOND, '3h1m'],
  [8 * HOUR, '8h'],
  [48 * HOUR - 1, '47h'],
  [2 * DAY, '2d'],
  [2 * DAY + HOUR, '2d1h'],
  [8 * DAY, '8d'],
  [729 * DAY, '729d'],
  [730 * DAY, '2y'],
  [731 * DAY + HOUR, '2y1d'],
  [8 * 365 * DAY + DAY, '8y'],
  [2025 * 365 * DAY, '292y'],
])('humanDuration formats %d ms as %s', (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text)
})
