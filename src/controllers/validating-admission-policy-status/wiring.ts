/**
 * Writes the warnings of type checking to the status of each ValidatingAdmissionPolicy, once for each generation. Follows
 * k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus.
 */
import { expressionSchemaOf } from '../../catalog/expression-schema.ts'
import { allKinds, kindOf, typeOf } from '../../catalog/scheme.ts'
import type { StructuralSchema } from '../../cel/schema.ts'
import type { CustomResourceDefinition } from '../../crd/definition.ts'
import { definitionPrefix } from '../../crd/definition.ts'
import { typeCheckedSchema } from '../../crd/expression-schema.ts'
import { ApiError } from '../../meta/errors.ts'
import { apply } from '../../registry/apply.ts'
import { listUnder } from '../../registry/list/all.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import type { Definitions } from '../crd/definitions.ts'
import {
  type ExpressionWarning,
  isUnobserved,
  type ServedKind,
  type ServedKinds,
  typeCheck,
  type ValidatingAdmissionPolicy,
} from './reconcile.ts'

const manager = 'validatingadmissionpolicy-status'
const group = 'admissionregistration.k8s.io'
const resource = 'validatingadmissionpolicies'
const apiVersion = `${group}/v1`

const prefix = `${resource}.${group}/`

function customKinds(definitions: Definitions): readonly ServedKind[] {
  return Object.values(definitions.summaries()).flatMap(({ versions, ...names }) =>
    versions.map(({ name }) => ({ ...names, version: name })),
  )
}

function customSchema(registry: Registry, name: string, version: string): StructuralSchema | undefined {
  const stored = registry.store.get(definitionPrefix + name)
  if (stored === undefined) return undefined
  const { spec } = objectOf(stored) as CustomResourceDefinition
  const served = spec.versions.find((one) => one.name === version && one.served)
  if (served === undefined) return undefined
  const schema = spec.preserveUnknownFields === true ? undefined : served.schema?.openAPIV3Schema
  return typeCheckedSchema(schema, expressionSchemaOf(typeOf('meta/v1.ObjectMeta')))
}

function servedKinds(registry: Registry, definitions: Definitions): ServedKinds {
  const builtIn = [...allKinds()]
  return {
    all: [...builtIn, ...customKinds(definitions)],
    schemaOf: (ofGroup, version, kind) => {
      const found = builtIn.find((one) => one.group === ofGroup && one.version === version && one.kind === kind)
      if (found !== undefined) return expressionSchemaOf(found.type)
      const name = definitions.nameOfKind(ofGroup, kind)
      return name === undefined ? undefined : customSchema(registry, name, version)
    },
  }
}

async function write(
  registry: Registry,
  { metadata }: ValidatingAdmissionPolicy,
  expressionWarnings: readonly ExpressionWarning[],
): Promise<void> {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error('no kind ValidatingAdmissionPolicy')
  const { name = '', generation } = metadata
  const target = { group, version: 'v1', resource, subresource: 'status', namespace: '', name }
  const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings }
  const status = { observedGeneration: generation, typeChecking }
  const text = JSON.stringify({ apiVersion, kind: kind.kind, metadata: { name }, status })
  try {
    await apply({ registry, kind, target, write: { manager, dryRun: false } }, { text, force: true })
  } catch (error) {
    // The policy was deleted in the meantime.
    if (!(error instanceof ApiError) || error.code !== 404) throw error
  }
}

/** Type-checks all policies whose current generation was not checked yet. */
async function updateStatus(registry: Registry, definitions: Definitions): Promise<void> {
  for (const object of listUnder(registry.store, prefix)) {
    const policy = object as ValidatingAdmissionPolicy
    if (!isUnobserved(policy)) continue
    const warnings = await typeCheck(policy, servedKinds(registry, definitions), registry.now() % 1_000_000_000)
    await write(registry, policy, warnings)
  }
}

/** The controller of ValidatingAdmissionPolicies. */
export const validatingPolicyStatus: Controller<ControlContext> = {
  name: 'validating-policy-status',
  enabledBy: ['validatingadmissionpolicy-status-controller'],
  rows: 'workqueue/validating-policy-status',
  watches: [prefix],
  open: ({ kernel: { registry }, definitions }) => ({
    missed: () => [''],
    reconcile: async () => {
      await updateStatus(registry, definitions)
      return 'done'
    },
  }),
}
