/**
 * Commands in containers over WebSockets: version 5 of the protocol (v5.channel.k8s.io) is translated to the SPDY streams that
 * kubelets serve. Follows StreamTranslatorHandler of k8s.io/apiserver and k8s.io/client-go/tools/remotecommand.
 */
import { parseJson } from '../../../go/json.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../../go/json-value.ts'
import { internalError } from '../../../meta/errors.ts'
import type { Upgraded } from '../../../net/http-exchange.ts'
import { dataFrames, openFrame, type SpdyFrame, spdyFrames } from '../../../net/spdy.ts'
import { WriteQueue } from '../../../net/write-queue.ts'
import { offeredProtocols, switched, webSocketPair } from '../../aggregation/web-socket.ts'
import { statusOf } from '../../status.ts'
import { sendTo } from '../../websocket.ts'
import { causeOf } from './dial.ts'

/** The subprotocol. */
export const remoteCommandProtocol = 'v5.channel.k8s.io'
/** The protocol of the streams: errors are a Status. */
export const streamProtocol = 'v4.channel.k8s.io'

/** Whether a client speaks version 5. */
export const isRemoteCommand = (request: Request): boolean => offeredProtocols(request).includes(remoteCommandProtocol)

/** The first byte of a message. A message of the channel `closed` names another one that ends. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, closed: 255 } as const

type StreamName = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize'

/** The streams that a client asks for. */
export interface RequestedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** A connection to a kubelet that speaks SPDY. */
export interface SpdyConnection {
  readonly bytes: Upgraded['bytes']
  write(data: Uint8Array): Promise<void>
  close(): void
}

/** The longest Status of a command. */
const longestError = 64 * 1024

/** Returns the streams of a command, in the order in which they are opened: the numbers are 1, 3, 5 … */
const streamsOf = ({ stdin, stdout, stderr, tty }: RequestedStreams): readonly StreamName[] => [
  'error',
  ...(stdin ? (['stdin'] as const) : []),
  ...(stdout ? (['stdout'] as const) : []),
  ...(stderr && !tty ? (['stderr'] as const) : []),
  ...(tty ? (['resize'] as const) : []),
]

const success: JsonObject = { metadata: {}, status: 'Success' }

/** Returns the Status of an error of this server. */
function failureOf(message: string): JsonObject {
  const { kind, apiVersion, ...status } = statusOf(internalError(message))
  return status
}

/** Returns the exit code in the Status of a command that has failed. @throws Error if it has none */
function exitCodeIn(status: JsonObject): string {
  if (!isObject(status.details)) throw new Error('error stream protocol error: details must be set')
  const { causes } = status.details
  const cause = (Array.isArray(causes) ? causes : []).filter(isObject).find(({ reason }) => reason === 'ExitCode')
  if (cause === undefined) throw new Error('error stream protocol error: no ExitCode cause given')
  const { message = '' } = cause
  if (typeof message === 'string' && /^\d{1,3}$/.test(message) && Number(message) <= 255) return String(Number(message))
  throw new Error(`error stream protocol error: invalid exit code value "${String(message)}"`)
}

/** Returns the Status for the client. @param text what the kubelet has written to the error stream */
function resultOf(text: string): JsonObject {
  if (text === '') return success
  let status: JsonValue
  try {
    status = parseJson(text)
  } catch {
    return failureOf(`error stream protocol error: invalid Status in ${JSON.stringify(text)}`)
  }
  if (!isObject(status) || (status.status !== 'Success' && status.status !== 'Failure'))
    return failureOf('error stream protocol error: unknown error')
  if (status.status === 'Success') return success
  if (status.reason !== 'NonZeroExitCode') return failureOf(typeof status.message === 'string' ? status.message : '')
  try {
    const code = exitCodeIn(status)
    return {
      metadata: {},
      status: 'Failure',
      message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: code }] },
    }
  } catch (error) {
    return failureOf(causeOf(error))
  }
}

/** Returns the size of a terminal as kubelets read it; undefined if the message is something else. */
function sizeOf(message: Uint8Array): Uint8Array | undefined {
  try {
    const size = parseJson(new TextDecoder().decode(message))
    if (!isObject(size)) return undefined
    const { Width = 0, Height = 0 } = size
    const areNumbers = [Width, Height].every((value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffff)
    return areNumbers ? new TextEncoder().encode(`${JSON.stringify({ Width, Height })}\n`) : undefined
  } catch {
    return undefined
  }
}

/** Yields what arrives. A connection that is lost has ended, as for client-go. */
async function* untilLost(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch {
    // Its streams have ended, too.
  }
}

/** A command, from the client's handshake to its Status. */
class RemoteCommand {
  readonly #client: WebSocket
  readonly #streams: readonly StreamName[]
  readonly #kubelet = Promise.withResolvers<SpdyConnection>()
  readonly #queue: WriteQueue
  #isOver = false
  #errorText = ''

  constructor(client: WebSocket, streams: RequestedStreams) {
    this.#client = client
    this.#streams = streamsOf(streams)
    // Messages of the client wait until the kubelet is reached.
    this.#queue = new WriteQueue(
      async (data) => (await this.#kubelet.promise).write(data),
      () => this.#end(),
    )
    for (const [index, streamtype] of this.#streams.entries()) this.#queue.push(openFrame(2 * index + 1, { streamtype }))
    client.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') this.#take(new Uint8Array(data as ArrayBuffer))
    })
    client.addEventListener('close', () => this.#end())
    client.addEventListener('error', () => this.#end())
  }

  /** Runs the command and tells the client its result. Never rejects. @param connect reaches the kubelet */
  async run(connect: () => Promise<SpdyConnection>): Promise<void> {
    const result = await this.#result(connect).catch((error: unknown) => failureOf(causeOf(error)))
    const text = new TextEncoder().encode(JSON.stringify(result))
    if (!this.#isOver) await this.#send(channels.error, text).catch(() => undefined)
    this.#end()
    this.#client.close(1000)
  }

  async #result(connect: () => Promise<SpdyConnection>): Promise<JsonObject> {
    const connection = await connect()
    this.#kubelet.resolve(connection)
    if (this.#isOver) connection.close()
    await this.#read(connection.bytes)
    return resultOf(this.#errorText)
  }

  /** Reads until the outputs and the error stream have ended, or the connection. */
  async #read(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const unfinished = new Set<StreamName>(this.#streams.filter((name) => name !== 'stdin' && name !== 'resize'))
    const decoder = new TextDecoder()
    for await (const frame of spdyFrames(untilLost(bytes))) {
      if (frame.kind === 'ping') this.#queue.push(frame.frame)
      else if (frame.kind === 'goAway') return
      else {
        const name = await this.#passOn(frame, decoder)
        if (name !== undefined) unfinished.delete(name)
        if (unfinished.size === 0) return
      }
    }
  }

  /** Passes data on to the client. @returns the stream if it has ended */
  async #passOn(frame: Extract<SpdyFrame, { stream: number }>, decoder: TextDecoder): Promise<StreamName | undefined> {
    const name = this.#streams[(frame.stream - 1) / 2]
    if (frame.kind === 'reset') return name
    if (name === 'error') {
      this.#errorText += decoder.decode(frame.data, { stream: true })
      if (this.#errorText.length > longestError) throw new Error('error stream protocol error: the error is too long')
    } else if ((name === 'stdout' || name === 'stderr') && frame.data.length > 0) await this.#send(channels[name], frame.data)
    return frame.isFinal ? name : undefined
  }

  async #send(channel: number, data: Uint8Array): Promise<void> {
    const message = new Uint8Array(data.length + 1)
    message[0] = channel
    message.set(data, 1)
    await sendTo(this.#client, message)
  }

  #take(message: Uint8Array): void {
    const [channel, closed] = message
    const data = message.subarray(1)
    if (channel === channels.stdin) this.#write('stdin', data, false)
    else if (channel === channels.closed && closed === channels.stdin) this.#write('stdin', new Uint8Array(), true)
    else if (channel === channels.resize) {
      const size = sizeOf(data)
      if (size !== undefined) this.#write('resize', size, false)
    }
  }

  #write(name: StreamName, data: Uint8Array, isFinal: boolean): void {
    const index = this.#streams.indexOf(name)
    if (index >= 0 && (data.length > 0 || isFinal)) this.#queue.push(dataFrames(2 * index + 1, data, isFinal))
  }

  #end(): void {
    this.#isOver = true
    this.#kubelet.promise.then(({ close }) => close())
  }
}

/**
 * Answers the client's handshake and runs its command.
 * @param connect reaches the kubelet; the client sees the text of its error
 */
export function runCommand(streams: RequestedStreams, connect: () => Promise<SpdyConnection>): Response {
  const [outer, inner] = webSocketPair()
  const command = new RemoteCommand(inner, streams)
  // An empty message tells the client that the connection is established.
  inner.send(Uint8Array.of(streams.stdout ? channels.stdout : streams.stderr ? channels.stderr : channels.error))
  command.run(connect)
  return switched(outer, remoteCommandProtocol)
}
