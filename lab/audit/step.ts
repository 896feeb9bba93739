/** Steps: the measured parts of which scenarios consist. */
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditedServer } from './server.ts'
import { difference, noUsage, type Reading, times, type Usage } from './usage.ts'

/** The names of the steps, with their explanations. */
export const stepNames = {
  start: 'the first request to a new deployment',
  namespace: 'the first namespace',
  'second without clients': 'a second in which nobody is connected',
  create: 'a create of a ConfigMap of 1 KB, eight at a time, with compaction',
  get: 'a get by the administrator, eight at a time',
  'get by a ServiceAccount': 'the same by a ServiceAccount',
  'list of 500': 'a list of 500 ConfigMaps',
  'update without compaction': 'an update of an object of 1 KB, eight at a time, until its history is full',
  update: 'the same with compaction',
  'get after hibernation': 'a get by a ServiceAccount after every object has hibernated',
  'step of a leader election': 'a get and an update of a Lease by a ServiceAccount, two seconds after the last',
  'start of an informer': 'a list and the start of a watch',
  'second of an idle watch': 'a second of a watch without events, with bookmarks',
  'event of an idle watch': 'a create in a collection that has been idle and is watched',
  'watch of ten seconds': 'a watch from a known version that ends after ten seconds',
  preview: 'a named cluster is created; discovery, 50 manifests, 20 gets and lists, the start of 5 watches',
  'second of a watch of a preview': 'a second of one of these watches',
  'rest of a preview': 'the 70 seconds after they have ended',
  'end of a preview': 'the deletion of the cluster',
} as const

export type StepName = keyof typeof stepNames

/** A measured step. */
export interface Step {
  readonly name: StepName
  readonly times: number
  /** The usage of all times together. */
  readonly usage: Usage
  /** The number of objects that could not hibernate at its end. */
  readonly held: number
  /** The number of alarms that were set at its end. */
  readonly alarmsLeft: number
}

/** Returns the usage of a step that is done once; without usage if the step was not measured. */
export function onceOf(steps: readonly Step[], name: StepName): Usage {
  const step = steps.find((one) => one.name === name)
  return step === undefined ? noUsage : times(1 / step.times, step.usage)
}

/** Measures the steps on one server. */
export class Recorder {
  readonly steps: Step[] = []
  readonly #server: AuditedServer

  constructor(server: AuditedServer) {
    this.#server = server
  }

  /** Measures an action and the work that follows from it. */
  async measure(name: StepName, count: number, act: () => Promise<unknown>): Promise<void> {
    const before = await this.#server.settled()
    await act()
    this.#add(name, count, before, await this.#server.settled())
  }

  /** Measures the server for this many seconds. */
  async measureWhile(name: StepName, count: number, seconds: number): Promise<void> {
    const before = await this.#server.settled()
    await pause(seconds * 1000)
    this.#add(name, count, before, await this.#server.read())
  }

  #add(name: StepName, count: number, before: Reading, after: Reading): void {
    this.steps.push({
      name,
      times: count,
      usage: difference(after.usage, before.usage),
      held: Object.keys(after.held).length,
      alarmsLeft: Object.keys(after.alarmsDue).length,
    })
  }
}
