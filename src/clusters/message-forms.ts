/** The forms in which the questions and answers of messages travel. */

/** The parts of a request that carry a question. */
export interface QuestionParts {
  readonly query?: URLSearchParams
  readonly headers?: HeadersInit
  readonly body?: BodyInit | null
}

/** How a question travels. */
export interface QuestionForm<Question> {
  write(question: Question): QuestionParts
  read(request: Request): Question | Promise<Question>
}

/** How an answer travels. */
export interface AnswerForm<Answer> {
  write(answer: Answer): Response
  read(response: Response): Answer | Promise<Answer>
}

/** JSON in the body of a request. */
export const jsonBody = <T>(): QuestionForm<T> => ({
  write: (question) => ({ body: JSON.stringify(question) }),
  read: (request) => request.json<T>(),
})

/** No question: the message says all. */
export const noQuestion: QuestionForm<void> = { write: () => ({}), read: () => undefined }

/** Text in the body of a request, and fields in its query. */
export interface TextWithFields<Fields> {
  readonly text: string
  readonly fields: Fields
}

/** How a field of a query is written and read. */
interface FieldForm<T> {
  write(value: T): readonly string[]
  read(texts: readonly string[]): T
}

/** A text; '' if it is missing. */
export const text: FieldForm<string> = { write: (value) => [value], read: ([value = '']) => value }

/** Several texts. */
export const texts: FieldForm<readonly string[]> = { write: (values) => values, read: (values) => values }

/** A number; NaN if it is missing. */
export const number: FieldForm<number> = { write: (value) => [String(value)], read: ([value]) => Number(value) }

/** A text that may be missing. */
export const optionalText: FieldForm<string | undefined> = {
  write: (value) => (value === undefined ? [] : [value]),
  read: ([value]) => value,
}

/** Whether the field is there. */
export const flag: FieldForm<boolean> = { write: (value) => (value ? ['1'] : []), read: (values) => values.length > 0 }

/** The forms of the fields of a question. */
type FieldForms<Fields> = { readonly [Name in keyof Fields]-?: FieldForm<Fields[Name]> }

/** Fields in the query of a request. */
export const query = <Fields extends object>(forms: FieldForms<Fields>): QuestionForm<Fields> => ({
  write: (fields) => ({ query: writeFields(forms, fields) }),
  read: ({ url }) => readFields(forms, new URL(url).searchParams),
})

/** Text in the body of a request, and fields in its query. */
export const textBody = <Fields extends object>(forms: FieldForms<Fields>): QuestionForm<TextWithFields<Fields>> => ({
  write: ({ text: body, fields }) => ({ body, query: writeFields(forms, fields) }),
  read: async (request) => ({
    text: await request.text(),
    fields: readFields(forms, new URL(request.url).searchParams),
  }),
})

function writeFields<Fields extends object>(forms: FieldForms<Fields>, fields: Fields): URLSearchParams {
  const names = Object.keys(forms) as (keyof Fields & string)[]
  return new URLSearchParams(names.flatMap((name) => forms[name].write(fields[name]).map((value) => [name, value])))
}

function readFields<Fields extends object>(forms: FieldForms<Fields>, parameters: URLSearchParams): Fields {
  const names = Object.keys(forms) as (keyof Fields & string)[]
  return Object.fromEntries(names.map((name) => [name, forms[name].read(parameters.getAll(name))])) as Fields
}

/** Headers and body of a request, in a form that the sender and the receiver know. */
export interface RawQuestion {
  readonly headers: Headers
  readonly body: ReadableStream<Uint8Array> | Uint8Array | string | null
}

/** Headers and body of a request as they are. */
export const rawQuestion: QuestionForm<RawQuestion> = {
  write: (question) => question,
  read: ({ headers, body }) => ({ headers, body }),
}

/** JSON. */
export const jsonAnswer = <T>(): AnswerForm<T> => ({
  write: (answer) => Response.json(answer),
  read: (response) => response.json<T>(),
})

/** JSON, or the status 204 for `undefined`. */
export const optionalAnswer = <T>(): AnswerForm<T | undefined> => ({
  write: (answer) => (answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer)),
  read: (response) => (response.status === 204 ? undefined : response.json<T>()),
})

/** No answer, but that the message has been handled. */
export const noAnswer: AnswerForm<void> = {
  write: () => new Response(null, { status: 204 }),
  // An answer that is not read could keep the Durable Object in memory, which is billed.
  read: async ({ body }) => body?.cancel(),
}

/** A text. */
export const textAnswer: AnswerForm<string> = { write: (answer) => new Response(answer), read: (response) => response.text() }

/** The response as it is, for an answer that is a stream, or has headers of its own. */
export const rawAnswer: AnswerForm<Response> = { write: (answer) => answer, read: (response) => response }
