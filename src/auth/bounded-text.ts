/** Answers of others, which may be as long as they like. */

/**
 * The text of an answer.
 * @throws Error for one that is longer
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
