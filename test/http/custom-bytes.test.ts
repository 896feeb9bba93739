/** Custom resources byte by byte: kube-apiserver 1.36.3 gave the expected responses. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readLines } from '../../conformance/lines.ts'
import { startServer, type TestServer } from '../server.ts'

interface Step {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  readonly answer: string
}

/** A definition that exists before the steps. */
interface Preparation {
  readonly definition: object
}

const lines = readLines<Preparation | Step>(join(import.meta.dirname, '../../conformance/recorded/custom-bytes.jsonl'))
const definitions = lines.flatMap((line) => ('definition' in line ? [line.definition] : []))
const steps = lines.flatMap((line) => ('definition' in line ? [] : [line]))

/** Replaces values that differ in every run. */
const normalized = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/("resourceVersion": ?)"\d+"/g, '$1"RV"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/"\d+s"\]/g, '"AGE"]')

const answered = (text: string, path: string): string => {
  const all = normalized(text)
  return path.includes('watch') ? all.slice(0, all.indexOf('\n') + 1) : all
}

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (const body of definitions) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await server.send(path, { method: 'POST', body })).status).toBe(201)
  }
})
afterAll(() => server.stop())

test.each(steps.map((step) => [step.method ?? 'GET', step.path, step] as const))('%s %s', async (method, path, step) => {
  const { headers, body, status, answer } = step
  const reply = await server.send(path, { method, ...(headers && { headers }), ...(body !== undefined && { body }) })
  expect({ status: reply.status, answer: answered(reply.text, path) }).toEqual({ status, answer })
})
