/** The answers of a control object to questions about its cluster: the policy snapshot, definitions, the placement. */

import type { AdmissionConfiguration } from '../clusters/admission-configuration.ts'
import type { DefinitionName, DefinitionText } from '../clusters/definition-text.ts'
import { locationHeader, placementHeader } from '../clusters/placement.ts'
import type { PolicyQuestion } from '../clusters/policy-messages.ts'
import { accountHeader, readAheadHeader, settledHeader } from '../clusters/policy-messages.ts'
import type { Parts } from '../clusters/policy-snapshot.ts'
import { clusterUidHeader } from '../clusters/protocol.ts'
import type { ApiServiceAvailability } from '../controllers/api-service-availability/availability.ts'
import type { ClusterRecord } from '../controllers/cluster/record.ts'
import type { Definitions } from '../controllers/crd/definitions.ts'
import { changedDefinitions } from '../controllers/crd/wiring.ts'
import type { Kernel } from '../controllers/kernel.ts'
import type { PolicyParts } from '../controllers/policy-parts.ts'
import type { KnownAccounts } from '../controllers/service-account/known-accounts.ts'
import { definitionPrefix } from '../crd/definition.ts'

/** The parts of the control object that know the answers. */
export interface AnsweringParts {
  readonly record: ClusterRecord
  readonly accounts: KnownAccounts
  readonly definitions: Definitions
  readonly apiServices: ApiServiceAvailability
  readonly policyParts: PolicyParts
}

/** Answers such questions, each when the writes that it has seen are durable. */
export class ControlAnswers {
  readonly #kernel: Kernel
  readonly #parts: AnsweringParts
  readonly #read: (request: Request) => Promise<Response>

  /** @param read performs the operation of a request */
  constructor(kernel: Kernel, parts: AnsweringParts, read: (request: Request) => Promise<Response>) {
    this.#kernel = kernel
    this.#parts = parts
    this.#read = read
  }

  /** Returns the name of the requested definition, which is given by name, or by group and kind. */
  #nameOf({ name, group = '', kind = '' }: DefinitionName): string {
    return name ?? this.#parts.definitions.nameOfKind(group, kind) ?? ''
  }

  /** Answers a definition with its schemas, for Durable Objects and Workers that hold or serve its objects. */
  async definition(which: DefinitionName): Promise<DefinitionText | undefined> {
    const { ctx, store } = this.#kernel
    const { definitions } = this.#parts
    const name = this.#nameOf(which)
    await ctx.storage.sync()
    const stored = store.get(definitionPrefix + name)
    const tag = definitions.summary(name)?.tag
    return stored === undefined || tag === undefined ? undefined : { tag, text: stored.value }
  }

  /**
   * Answers the parts of the snapshot that the requesting Worker does not have, and the ServiceAccount that it asks for. If the
   * Worker has all parts, a read that came with the request is answered instead.
   */
  async policy({ versions, state, account: place, read }: PolicyQuestion, request: Request): Promise<Response> {
    const { queues } = this.#kernel
    const { accounts, apiServices, policyParts } = this.#parts
    const account = place === undefined ? undefined : await accounts.find(place)
    if (state === 'settled') await queues.settle(changedDefinitions)
    apiServices.used(Date.now())
    // A write that is not yet durable could be lost after it was read.
    await this.#kernel.ctx.storage.sync()
    const headers: Record<string, string> = {
      ...this.#clusterHeaders(),
      ...(!queues.isBusy(changedDefinitions) && { [settledHeader]: '1' }),
      ...(place !== undefined && { [accountHeader]: JSON.stringify(account ?? null) }),
    }
    const changes = policyParts.changesSince(versions)
    if (read === undefined || Object.keys(changes).length > 0) return Response.json(changes, { headers })
    const response = await this.#read(request)
    for (const [name, value] of Object.entries({ ...headers, [readAheadHeader]: '1' })) response.headers.set(name, value)
    return response
  }

  /**
   * Whether a Worker of this isolate has the present parts, all names of definitions are decided, and no other server has to be
   * asked because the cluster is used. The parts came with a request, after all that they tell was durable; any later change
   * gives them other versions.
   */
  confirmsPolicy(parts: Parts): boolean {
    const { apiServices, policyParts } = this.#parts
    return !this.#kernel.queues.isBusy(changedDefinitions) && apiServices.hasNone && policyParts.are(parts)
  }

  /** Answers the admission configuration, for the Durable Objects of collections. */
  async admission(): Promise<AdmissionConfiguration> {
    // A write that is not yet durable could be lost after it was read.
    await this.#kernel.ctx.storage.sync()
    return this.#parts.policyParts.admission
  }

  /** Checks the storage by a read and a sync. */
  async health(): Promise<Response> {
    const { storage } = this.#kernel.ctx
    storage.sql.exec('SELECT 1').one()
    await storage.sync()
    return new Response('ok', { headers: this.#clusterHeaders() })
  }

  /** Returns the headers by which clients learn the facts about the cluster. */
  #clusterHeaders(): Record<string, string> {
    const { placement } = this.#kernel
    const { uid, terms } = this.#parts.record
    return {
      [placementHeader]: placement,
      ...(uid !== '' && { [clusterUidHeader]: uid }),
      ...(terms?.location !== undefined && { [locationHeader]: terms.location }),
    }
  }
}
