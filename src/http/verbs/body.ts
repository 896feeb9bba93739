/** Reads the body of a write, within its bound. */
import { ApiError } from '../../meta/errors.ts'

/** 3 MiB: what kube-apiserver reads. */
const maximumBytes = 3 * 1024 * 1024

function tooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maximumBytes}`)
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maximumBytes) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** @throws ApiError 413 for a body above the bound; no more than that of it is read */
export async function readBody(request: Request): Promise<string> {
  if (request.body === null) return ''
  const declared = request.headers.get('content-length')
  if (declared === null) return readBounded(request.body)
  if (Number(declared) > maximumBytes) throw tooLarge()
  return request.text()
}
