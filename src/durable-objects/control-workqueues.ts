/** The workqueues of control objects. */

import type { ControllerName } from '../config/controllers.ts'
import { ApiServiceRegistration } from '../controllers/api-service-registration/wiring.ts'
import { aggregateClusterRoles, aggregationPrefix } from '../controllers/cluster-role-aggregation/wiring.ts'
import type { Definitions } from '../controllers/crd/definitions.ts'
import { flowControlPrefixes, updateFlowSchemaStatus } from '../controllers/flow-schema-status/wiring.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { updateValidatingPolicyStatus, validatingPolicyPrefix } from '../controllers/validating-admission-policy-status/wiring.ts'
import { Workqueue } from '../controllers/workqueue.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { apiServicePrefix } from '../registry/policy/api-services.ts'

/** A workqueue with the changes that trigger it. */
interface TriggeredQueue {
  readonly name: string
  /** The controller to which it belongs; absent if it is a part of the server itself. */
  readonly controller?: ControllerName
  /** The key prefixes of the objects whose changes trigger a run. */
  readonly prefixes: readonly string[]
  readonly run: () => Promise<void>
  /** Requests wait for a pending run when the object starts. */
  readonly isAwaited?: true
}

function tableOf(
  { registry }: Kernel,
  definitions: Definitions,
  registration: ApiServiceRegistration,
): readonly TriggeredQueue[] {
  return [
    {
      name: 'cluster-role-aggregation',
      controller: 'clusterrole-aggregation-controller',
      prefixes: [aggregationPrefix],
      run: () => aggregateClusterRoles(registry),
      isAwaited: true,
    },
    // Requests do not wait for a condition that only informs people of a mistake.
    { name: 'flow-schema-status', prefixes: flowControlPrefixes, run: () => updateFlowSchemaStatus(registry) },
    {
      name: 'api-service-registration',
      prefixes: [definitionPrefix, apiServicePrefix],
      run: () => registration.register(),
    },
    {
      name: 'validating-policy-status',
      controller: 'validatingadmissionpolicy-status-controller',
      prefixes: [validatingPolicyPrefix],
      run: () => updateValidatingPolicyStatus(registry, definitions),
    },
  ]
}

/** The workqueues of one control object. */
export class ControlWorkqueues {
  readonly #queues: readonly (TriggeredQueue & { readonly queue: Workqueue })[]
  readonly #registration: ApiServiceRegistration

  constructor(kernel: Kernel, definitions: Definitions) {
    const { controllers, registry } = kernel
    this.#registration = new ApiServiceRegistration(registry, () => definitions.summaries())
    this.#queues = tableOf(kernel, definitions, this.#registration).map((each) => {
      const isEnabled = each.controller === undefined || controllers.has(each.controller)
      return { ...each, queue: new Workqueue(kernel, { ...each, isEnabled }) }
    })
  }

  /** The parts of the alarm's work. */
  get parts(): readonly Workqueue[] {
    return this.#queues.map(({ queue }) => queue)
  }

  /** Triggers the workqueues for changed keys, in the turn of their commit; all of them without keys. */
  changed(keys: readonly string[]): void {
    const isAmong = (prefixes: readonly string[]): boolean =>
      keys.length === 0 || keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))
    if (isAmong([apiServicePrefix])) this.#registration.changed()
    for (const { prefixes, queue } of this.#queues) if (isAmong(prefixes)) queue.enqueue()
  }

  /** Lets changes trigger runs from now on, and runs pending ones. Resolves when those have run for which requests wait. */
  async start(): Promise<void> {
    for (const { queue, isAwaited } of this.#queues) {
      if (isAwaited === true) await queue.runPending()
      else queue.open()
    }
  }
}
