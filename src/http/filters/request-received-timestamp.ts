/** WithRequestReceivedTimestamp: notes when the request arrived. */
import type { Filter } from './filter.ts'

let dateSecond = -1
let dateText = ''

/** The date as RFC 9110 writes it (section 5.6.7): one text for all responses of a second. */
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
