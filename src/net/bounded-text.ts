/** Reads responses of other servers, whose length is not trusted. */

/** A body that is longer than it may be. */
export class TooLong extends Error {}

/**
 * Reads a response body as text.
 * @param maximum bytes
 * @throws TooLong if the body is longer
 */
export async function boundedText(response: Response, maximum: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of response.body ?? []) {
    length += (chunk as Uint8Array).byteLength
    if (length > maximum) throw new TooLong(`the response is larger than ${maximum} bytes`)
    text += decoder.decode(chunk as Uint8Array, { stream: true })
  }
  return text + decoder.decode()
}
