/** WithRequestReceivedTimestamp: records the time at which the request arrived. */
import type { Filter } from './filter.ts'

let dateSecond = -1
let dateText = ''

/** Formats the Date header (RFC 9110, section 5.6.7). All responses of one second share the text. */
function dateHeader(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(milliseconds).toUTCString()
  }
  return dateText
}

/** Sets `receivedAt`, and the Date header of the response. */
export const withRequestReceivedTimestamp: Filter = (c, next) => {
  const receivedAt = Date.now()
  c.set('receivedAt', receivedAt)
  c.get('responseHeaders').date = dateHeader(receivedAt)
  return next()
}
