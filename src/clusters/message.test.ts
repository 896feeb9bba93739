import { expect, test } from 'vitest'
import { ApiError } from '../meta/errors.ts'
import { type Handlers, message, Receiver, send } from './message.ts'
import {
  flag,
  jsonAnswer,
  jsonBody,
  noAnswer,
  noQuestion,
  number,
  optionalAnswer,
  optionalText,
  query,
  text,
  textAnswer,
  textBody,
  texts,
} from './message-forms.ts'
import { type InnerStub, protocolPath } from './protocol.ts'

interface Fields {
  readonly name: string
  readonly kind?: string | undefined
  readonly prefix: readonly string[]
  readonly version: number
  readonly relies: boolean
}

const fields = query<Fields>({ name: text, kind: optionalText, prefix: texts, version: number, relies: flag })

const messages = {
  fields: message('GET', '/fields', { question: fields, answer: jsonAnswer<Fields>() }),
  json: message('POST', '/json', { question: jsonBody<readonly number[]>(), answer: optionalAnswer<number>() }),
  lines: message('POST', '/lines', { question: textBody<{ id: string }>({ id: text }), answer: textAnswer }),
  nothing: message('DELETE', '/nothing', { question: noQuestion, answer: noAnswer }),
}

const handlers: Handlers<typeof messages> = {
  fields: (question) => question,
  json: ([first]) => first,
  lines: ({ text: lines, fields: { id } }) => `${id}: ${lines}`,
  nothing: () => undefined,
}

const receiver = new Receiver(messages)
const stubOf = (served: Handlers<typeof messages>): InnerStub => ({
  fetch: (input, init) => receiver.answer(new Request(input, init), served),
})
const stub = stubOf(handlers)

test('questions and answers arrive as they were sent, whatever their form', async () => {
  const all: Fields = { name: 'a&b=c', kind: 'Lamp', prefix: ['x', 'y z'], version: 7, relies: true }
  expect(await send(stub, messages.fields, all)).toEqual(all)
  const few: Fields = { name: '', prefix: [], version: 0, relies: false }
  expect(await send(stub, messages.fields, few)).toEqual(few)
  expect(await send(stub, messages.json, [5])).toBe(5)
  expect(await send(stub, messages.json, [])).toBeUndefined()
  expect(await send(stub, messages.lines, { text: 'a\nb', fields: { id: '1' } })).toBe('1: a\nb')
  expect(await send(stub, messages.nothing)).toBeUndefined()
})

test.each(['/of-a-later-release', '/fields?of=another-method'])('%s of another release is 503 with Retry-After', async (path) => {
  const later = message('POST', path, { question: noQuestion, answer: noAnswer })
  await expect(send(stub, later)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    details: { retryAfterSeconds: 1 },
  })
})

test('a message of another protocol is 503', async () => {
  const request = new Request(`http://object${protocolPath}9/fields`)
  expect((await receiver.answer(request, handlers)).status).toBe(503)
})

test('an ApiError of a handler reaches the sender; any other error keeps what the runtime has set on it', async () => {
  const failing = (error: Error): InnerStub => stubOf({ ...handlers, nothing: () => Promise.reject(error) })
  const refusal = new ApiError(403, 'Forbidden', 'not you')
  await expect(send(failing(refusal), messages.nothing)).rejects.toMatchObject({ code: 403, message: 'not you' })
  const overloaded = Object.assign(new Error('overloaded'), { overloaded: true })
  await expect(send(failing(overloaded), messages.nothing)).rejects.toBe(overloaded)
})
