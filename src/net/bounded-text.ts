/** Reads responses of other servers, whose length is not trusted. */

/**
 * Reads a response body as text.
 * @param maximum bytes
 * @throws Error if the body is longer
 */
export async function boundedText(response: Response, maximum: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of response.body ?? []) {
    length += (chunk as Uint8Array).byteLength
    if (length > maximum) throw new Error(`the response is larger than ${maximum} bytes`)
    text += decoder.decode(chunk as Uint8Array, { stream: true })
  }
  return text + decoder.decode()
}
