/** Sends the requests of a seed to a server, in lanes, and collects suspicious responses. */
import { allKinds } from '../../src/catalog/scheme.ts'
import type { Client } from '../../test/client.ts'
import { type Taken, takenBy } from '../processes.ts'
import { Connection, type Outcome } from './connection.ts'
import { bearable, type Initial, makeNamespaces, prepare, sweep } from './fixtures.ts'
import { Generator } from './generate.ts'
import { isOfRuntime, type Suspicion, signatureOf, suspicionOf } from './judge.ts'
import { type Lane, laneOf } from './lane.ts'
import { type AttackRequest, commandOf, type Target } from './request.ts'
import { Summary } from './summary.ts'
import { makeTenants } from './tenant.ts'

/** The settings of a run. */
export interface Plan {
  readonly seed: number
  /** The index of the first request. */
  readonly from: number
  readonly count: number
  /** The number of concurrent requests. */
  readonly lanes: number
  readonly server: Client
  /** The server's process; undefined for a server that was started elsewhere. */
  readonly pid: number | undefined
  /** A kube-apiserver that is asked about suspicious responses; undefined without one. */
  readonly reference: Client | undefined
  /**
   * The share of all requests, from 0 to 1, whose status is compared with the reference's; 1 keeps the state of both servers
   * equal.
   */
  readonly compared: number
  readonly progress: (text: string) => void
}

/** A kind of suspicious response, with its number. */
export interface Finding {
  readonly signature: string
  count: number
  /** The index of the first one. */
  readonly index: number
  readonly detail: string
  readonly command: string
}

/** The number of requests between two measurements of the server, after which created objects are deleted. */
const round = 20_000

interface Wire {
  readonly lane: Lane
  readonly ours: Connection
  readonly theirs: Connection | undefined
}

const targetOf = ({ url, token }: Client, tenant?: string): Target => ({ url: new URL(url), token, tenant })

const resourceNames = (): Set<string> => new Set([...allKinds()].map(({ resource }) => resource))

export class Campaign {
  readonly summary = new Summary(resourceNames())
  readonly findings = new Map<string, Finding>()
  readonly #plan: Plan
  readonly #generator: Generator

  constructor(plan: Plan) {
    this.#plan = plan
    this.#generator = new Generator(plan.seed)
  }

  /** Runs all requests. */
  async run(): Promise<void> {
    const { server, reference, lanes: laneCount, from, count } = this.#plan
    const lanes = Array.from({ length: laneCount }, (_, number) => laneOf(number))
    const servers = reference === undefined ? [server] : [server, reference]
    const initials = await Promise.all(servers.map(async (each) => ({ server: each, initial: await prepare(each, lanes) })))
    const tenant = await makeTenants(server)
    const wires = lanes.map(
      (lane): Wire => ({
        lane,
        ours: new Connection(targetOf(server, tenant)),
        theirs: reference && new Connection(targetOf(reference)),
      }),
    )
    for (let at = from; at < from + count; at += round) {
      const end = Math.min(at + round, from + count)
      await Promise.all(wires.map((wire) => this.#drive(wire, at, end)))
      for (const { ours, theirs } of wires) {
        ours.close()
        theirs?.close()
      }
      const isLast = at + round >= from + count
      await Promise.all(initials.map((each) => this.#tidy(each.server, each.initial, lanes, isLast)))
      this.#look()
    }
  }

  /** Limits the state of a server; at the end a server that was started elsewhere is left as it was before. */
  async #tidy(server: Client, initial: Initial, lanes: readonly Lane[], isLast: boolean): Promise<void> {
    const { server: ours, pid } = this.#plan
    const isLeft = isLast && (server !== ours || pid === undefined)
    await sweep(server, initial, isLeft ? 0 : bearable)
    await makeNamespaces(server, lanes)
  }

  /** Sends one request and returns the outcome. */
  async replay(
    index: number,
  ): Promise<{ readonly request: AttackRequest; readonly outcome: Outcome; readonly theirs: Outcome | undefined }> {
    const { server, reference, lanes } = this.#plan
    const lane = laneOf(index % lanes)
    const request = this.#generator.request(index, lane)
    const send = async (endpoint: Client): Promise<Outcome> => {
      await prepare(endpoint, [lane])
      const tenant = endpoint === server ? await makeTenants(server) : undefined
      const connection = new Connection(targetOf(endpoint, tenant))
      const outcome = await connection.exchange(request)
      connection.close()
      return outcome
    }
    return { request, outcome: await send(server), theirs: reference && (await send(reference)) }
  }

  async #drive(wire: Wire, from: number, end: number): Promise<void> {
    const { lanes } = this.#plan
    const first = from + ((wire.lane.number - (from % lanes) + lanes) % lanes)
    for (let index = first; index < end; index += lanes) await this.#send(wire, index)
  }

  async #send({ lane, ours, theirs }: Wire, index: number): Promise<void> {
    const request = this.#generator.request(index, lane)
    const isCompared = theirs !== undefined && this.#isCompared(index)
    const [outcome, early] = await Promise.all([ours.exchange(request), isCompared ? theirs.exchange(request) : undefined])
    this.summary.count(index, request, outcome)
    const suspicion = suspicionOf(request, outcome)
    if (suspicion === undefined && early === undefined) return
    const reference = early ?? (suspicion?.what === 'internal error' ? undefined : await theirs?.exchange(request))
    if (suspicion !== undefined && !isShared(suspicion, outcome, reference)) this.#find(index, request, suspicion, reference)
    else if (early !== undefined) this.#compare(index, request, outcome, early)
  }

  #isCompared(index: number): boolean {
    const { compared } = this.#plan
    return compared > 0 && (index * 0x9e3779b1) % 1000 < compared * 1000
  }

  #compare(index: number, request: AttackRequest, ours: Outcome, theirs: Outcome): void {
    if (ours.answer.status === theirs.answer.status || isOfRuntime(ours)) return
    const text = (outcome: Outcome): string => `${outcome.answer.status} ${outcome.answer.body.toString().slice(0, 300)}`
    const route = `${request.method} ours ${ours.answer.status} theirs ${theirs.answer.status}`
    this.#add(`differs: ${route} ${messageOf(theirs)}`, index, request, `ours ${text(ours)}\n    theirs ${text(theirs)}`)
  }

  #find(index: number, request: AttackRequest, suspicion: Suspicion, reference: Outcome | undefined): void {
    const theirs = reference === undefined ? '' : `; kube-apiserver: ${reference.ending} ${reference.answer.status}`
    this.#add(signatureOf(suspicion), index, request, suspicion.detail + theirs)
  }

  #add(signature: string, index: number, request: AttackRequest, detail: string): void {
    const earlier = this.findings.get(signature)
    if (earlier === undefined) {
      const command = commandOf(request, this.#plan.server.url)
      this.findings.set(signature, { signature, count: 1, index, detail, command })
      this.#plan.progress(`found ${signature} (index ${index})`)
    } else earlier.count++
  }

  #look(): void {
    const { pid, progress } = this.#plan
    const taken: Taken = pid === undefined ? { memory: 0, descriptors: 0 } : takenBy(pid)
    this.summary.measure(taken)
    const { requests, perSecond } = this.summary
    const server = pid === undefined ? '' : `, ${Math.round(taken.memory / 2 ** 20)} MB, ${taken.descriptors} descriptors`
    progress(`${requests} requests, ${Math.round(perSecond)}/s${server}, ${this.findings.size} findings`)
  }
}

const messageOf = ({ answer }: Outcome): string =>
  (/"message":\s*"((?:[^"\\]|\\.)*)"/.exec(answer.body.toString())?.[1] ?? '').replace(/\d+/g, 'N').slice(0, 60)

/** Whether kube-apiserver responds in the same way: then it is not a finding. */
const isShared = ({ what }: Suspicion, ours: Outcome, theirs: Outcome | undefined): boolean =>
  what !== 'leak' && theirs !== undefined && theirs.ending === ours.ending && theirs.answer.status === ours.answer.status
