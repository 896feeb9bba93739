/**
 * The form of recorded scenarios: a file of lines, each a JSON object. The first describes the scenario; each further line is a step
 * with the answer of kube-apiserver.
 *
 * @example
 * {"name":"ns-basics","area":"crud","about":"a namespace is read"}
 * {"do":"GET /api/v1/namespaces/${NS}","ignore":["spec"],"answer":{"status":200,"contentType":"application/json","body":{…}}}
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonValue } from '../src/go/json-value.ts'

/** A recorded answer, with placeholders for values that differ in every run. */
export type Answer = {
  readonly status?: number
  readonly contentType?: string | null
  /** The header, if there is one. */
  readonly warning?: string
  /** The header, if there is one. */
  readonly retryAfter?: string
  /** JSON, or the text of a body that is not JSON. */
  readonly body?: JsonValue
  /** The events of a watch. */
  readonly events?: JsonValue
  /** Whether the server closed the watch itself. */
  readonly closed?: boolean
  /** The error of a request without a response. */
  readonly failed?: string
}

interface Answered {
  readonly answer?: Answer
}

/** The headers of a request; null for a default header that is not sent. */
export type Headers = Readonly<Record<string, string | null>>

/** A request. Its texts may contain the variables `${NS}`, `${RAND}` and those that earlier steps saved. */
export interface RequestStep extends Answered {
  /** The method, and the path with its query. */
  readonly do: string
  /** The step's title in reports, if not the request. */
  readonly name?: string
  readonly headers?: Headers
  /** A text is sent unchanged, another value as JSON. */
  readonly body?: JsonValue
  /** Repeats the request until it has this status, or this field equals a value or is absent; the time limit is in milliseconds. */
  readonly until?: { readonly status?: number; readonly field?: string; readonly equals?: JsonValue; readonly timeout?: number }
  /** The fields of the body whose values become variables, by the names of the variables. */
  readonly save?: Readonly<Record<string, string>>
  /** The fields of the body that are not compared. */
  readonly ignore?: readonly string[]
  /** The body is not compared. */
  readonly statusOnly?: boolean
  /** In milliseconds. */
  readonly timeout?: number
}

/** Opens a watch. */
export interface WatchStep extends Answered {
  /** The path with its query. */
  readonly watch: string
  readonly id: string
  readonly headers?: Headers
}

/** Ends a watch; the answer has its events. */
export interface StopStep extends Answered {
  /** The watch's id. */
  readonly stop: string
  /** The number of events to wait for. */
  readonly events?: number
  /** The time to wait for them, in milliseconds. */
  readonly timeout?: number
  /** Orders the events by type and name. */
  readonly sort?: boolean
  /** The answer tells whether the server closed the watch. */
  readonly expectClosed?: boolean
  readonly ignore?: readonly string[]
}

/** Waits; has no answer. */
export interface Pause {
  /** In milliseconds. */
  readonly sleep: number
}

export type Step = RequestStep | WatchStep | StopStep | Pause

/** A scenario with its steps. */
export interface Scenario {
  /** Unique, and at most 40 characters of a DNS label: its namespace is called after it. */
  readonly name: string
  /** The group of scenarios that a program can select. */
  readonly area?: string
  readonly about: string
  /** False for a scenario without a namespace of its own. */
  readonly namespace?: boolean
  /** Requests that remove cluster-scoped objects at the end; their answers are not recorded. */
  readonly cleanup?: readonly RequestStep[]
  readonly steps: readonly Step[]
}

/** The keys of a file's first line and of its other lines, in their order. */
const headKeys = ['name', 'area', 'about', 'namespace', 'cleanup']
const stepKeys = [
  ...['name', 'do', 'watch', 'stop', 'id', 'sleep', 'headers', 'body', 'until', 'save', 'ignore', 'statusOnly'],
  ...['events', 'timeout', 'sort', 'expectClosed', 'answer'],
]

function line(value: object, keys: readonly string[]): string {
  const unknown = Object.keys(value).find((key) => !keys.includes(key))
  if (unknown !== undefined) throw new Error(`"${unknown}" is no key of a line: ${JSON.stringify(value).slice(0, 200)}`)
  return JSON.stringify(
    Object.fromEntries(Object.entries(value).sort(([one], [other]) => keys.indexOf(one) - keys.indexOf(other))),
  )
}

/**
 * Returns a scenario as lines.
 * @throws Error if it has a key that the form has not
 */
export function formatScenario({ steps, ...head }: Scenario): string {
  return [line(head, headKeys), ...steps.map((step) => line(step, stepKeys)), ''].join('\n')
}

/** Parses the lines of a scenario. */
export function parseScenario(text: string): Scenario {
  const [head = '', ...steps] = text.trimEnd().split('\n')
  return { ...(JSON.parse(head) as Omit<Scenario, 'steps'>), steps: steps.map((step) => JSON.parse(step) as Step) }
}

const extension = '.jsonl'

/** Returns the names of the scenarios in a folder, in order. */
export const scenarioNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .sort()

/** Reads a scenario of a folder. */
export const readScenario = (folder: string, name: string): Scenario =>
  parseScenario(readFileSync(join(folder, `${name}${extension}`), 'utf8'))

/** Writes a scenario into a folder. */
export const writeScenario = (folder: string, scenario: Scenario): void =>
  writeFileSync(join(folder, `${scenario.name}${extension}`), formatScenario(scenario))

/** A step that has an answer. */
export type AnsweredStep = Exclude<Step, Pause>

/** Returns the steps that have answers: all but the pauses. The ledger counts these, from 0. */
export const answeredSteps = ({ steps }: Scenario): AnsweredStep[] =>
  steps.filter((step): step is AnsweredStep => !('sleep' in step))

/** Returns the title of a step in reports. */
export function titleOf(step: AnsweredStep): string {
  if ('watch' in step) return `WATCH ${step.watch}`
  return 'stop' in step ? `STOP ${step.stop}` : (step.name ?? step.do)
}

/**
 * Returns a scenario with answers.
 * @param answers of its steps without the pauses, in order
 */
export function withAnswers(scenario: Scenario, answers: readonly Answer[]): Scenario {
  const rest = answers.values()
  return {
    ...scenario,
    steps: scenario.steps.map((step) => {
      if ('sleep' in step) return step
      const { value: answer } = rest.next()
      return answer === undefined ? step : { ...step, answer }
    }),
  }
}
