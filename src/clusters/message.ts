/**
 * Messages between Workers and Durable Objects, and between two Durable Objects. A message is declared once, in the table of a
 * protocol; one side sends it, the other serves it, and the compiler knows what both say.
 */
import { ApiError } from '../meta/errors.ts'
import type { AnswerForm, QuestionForm } from './message-forms.ts'
import { collectionUrl, type InnerStub, protocolPath, unknownRequest } from './protocol.ts'
import { ownCluster, type Senders } from './senders.ts'
import { errorResponse, unwrap } from './wire-error.ts'

/**
 * The states in which an object answers only the messages that name them. `restored`: its contents are being replaced; `absent`:
 * its cluster does not exist; `uncopied`: it is not yet known whether its contents have to be copied from another cluster.
 */
export type ObjectState = 'restored' | 'absent' | 'uncopied'

/** The part of a message that a receiver knows before it reads the question. */
export interface Declaration {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path below that of the protocol. */
  readonly path: string
  readonly senders: Senders
  readonly answeredWhile: readonly ObjectState[]
}

/** Answers a question. The request tells the sender, and the time at which it was sent. */
export type Handler<Question, Answer> = (question: Question, request: Request) => Answer | Promise<Answer>

/** A message: a question with its answer. `void` stands for none. */
export interface Message<Question, Answer> extends Declaration {
  readonly question: QuestionForm<Question>
  readonly answer: AnswerForm<Answer>
  /** Handles a request with this message. */
  handle(request: Request, handler: Handler<Question, Answer>): Promise<Response>
}

/** A message of which only the receiver's handler knows the question and the answer. */
interface AnyMessage extends Declaration {
  handle(request: Request, handler: Handler<unknown, never>): Promise<Response>
}

/** The messages that a class of Durable Objects answers, by name. */
export type Protocol = Readonly<Record<string, AnyMessage>>

/** The handlers of a protocol. */
export type Handlers<P extends Protocol> = {
  readonly [Name in keyof P]: P[Name] extends Message<infer Question, infer Answer> ? Handler<Question, Answer> : never
}

/** The details of a message besides its method and path. */
type Details<Question, Answer> = Pick<Message<Question, Answer>, 'question' | 'answer'> &
  Partial<Pick<Declaration, 'senders' | 'answeredWhile'>>

/**
 * Declares a message.
 * @example
 * const hold = message('POST', '/forks', { question: jsonBody<NewFork>(), answer: jsonAnswer<Fork>(), senders: fromDefault })
 * const fork = await send(parent, hold, { uid, cluster })
 */
export function message<Question, Answer>(
  method: Declaration['method'],
  path: string,
  { question, answer, senders = ownCluster, answeredWhile = [] }: Details<Question, Answer>,
): Message<Question, Answer> {
  return {
    method,
    path,
    question,
    answer,
    senders,
    answeredWhile,
    handle: async (request, handler) => {
      try {
        return answer.write(await handler(await question.read(request), request))
      } catch (error) {
        // The runtime sets properties of other errors, which the caller needs.
        if (error instanceof ApiError) return errorResponse(error)
        throw error
      }
    },
  }
}

/** Sends a message and returns the response as it is, also if it is an error: `answerOf` reads the answer in it. */
export function exchange<Question, Answer>(
  stub: InnerStub,
  { method, path, question: form }: Message<Question, Answer>,
  question: Question,
): Promise<Response> {
  const { query, ...init } = form.write(question)
  const search = query === undefined ? '' : `?${query}`
  return stub.fetch(collectionUrl + path + search, { ...init, method, redirect: 'manual' })
}

/** Reads the answer in a response. @throws ApiError if the response contains one */
export async function answerOf<Answer>({ answer }: { readonly answer: AnswerForm<Answer> }, response: Response): Promise<Answer> {
  return answer.read(await unwrap(response))
}

/**
 * Sends a message to a Durable Object.
 * @throws ApiError of the Durable Object; 503 if its release does not know the message or the protocol
 */
export function send<Answer>(stub: InnerStub, sent: Message<void, Answer>): Promise<Answer>
export function send<Question, Answer>(stub: InnerStub, sent: Message<Question, Answer>, question: Question): Promise<Answer>
export async function send<Question, Answer>(
  stub: InnerStub,
  sent: Message<Question, Answer>,
  question?: Question,
): Promise<Answer> {
  return answerOf(sent, await exchange(stub, sent, question as Question))
}

/** The messages of a protocol, as a receiver finds them. */
export class Receiver<P extends Protocol> {
  readonly #names: ReadonlyMap<string, keyof P & string>
  readonly #protocol: P

  constructor(protocol: P) {
    this.#protocol = protocol
    this.#names = new Map(Object.entries(protocol).map(([name, { method, path }]) => [`${method} ${protocolPath}${path}`, name]))
  }

  #nameOf({ method, url }: Request): (keyof P & string) | undefined {
    return this.#names.get(`${method} ${new URL(url).pathname}`)
  }

  /** Returns the message of a request; undefined if this release does not know it. */
  messageOf(request: Request): Declaration | undefined {
    const name = this.#nameOf(request)
    return name === undefined ? undefined : this.#protocol[name]
  }

  /** Answers a request with the handler of its message; 503 if this release does not know the message. */
  async answer(request: Request, handlers: Handlers<P>): Promise<Response> {
    const name = this.#nameOf(request)
    const received = name === undefined ? undefined : this.#protocol[name]
    if (name === undefined || received === undefined) return unknownRequest()
    // The type of the handlers says that each is that of its message.
    const byName: Readonly<Record<string, unknown>> = handlers
    return received.handle(request, byName[name] as Handler<unknown, never>)
  }
}
