/** A version of a definition, compiled for decoding and validation. */
import type { ScalePaths } from '../catalog/kind.ts'
import type { DecodingSchema } from './decode.ts'
import type { CustomResourceDefinition, DefinitionVersion } from './definition.ts'
import type { JsonSchema } from './json-schema.ts'
import { type RuleTree, ruleTreeOf } from './rules/rule-tree.ts'
import { nodeOf, type SchemaNode } from './schema/node.ts'
import { type Validator, validatorOf } from './schema/validate.ts'

/** A version with the results of compiling it once. */
export interface CompiledVersion {
  readonly version: DefinitionVersion
  readonly schema: JsonSchema | undefined
  readonly decoding: DecodingSchema
  readonly node: SchemaNode | undefined
  readonly validator: Validator | undefined
  readonly statusValidator: Validator | undefined
  readonly scale: ScalePaths | undefined
  readonly rules: RuleTree | undefined
}

const steps = (path: string): string[] => path.replace(/^\./, '').split('.')

function scaleOf({ subresources }: DefinitionVersion): ScalePaths | undefined {
  const scale = subresources?.scale
  if (scale === undefined) return undefined
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  return {
    specReplicas: steps(specReplicasPath),
    statusReplicas: steps(statusReplicasPath),
    labelSelector: labelSelectorPath === '' ? undefined : steps(labelSelectorPath),
  }
}

/** Compiles a version. Parts that may not be needed are made on first use. */
export function compileVersion(definition: CustomResourceDefinition, version: DefinitionVersion): CompiledVersion {
  const schema = version.schema?.openAPIV3Schema
  const node = schema === undefined ? undefined : nodeOf(schema)
  const status = schema?.properties?.status
  const hasStatus = version.subresources?.status !== undefined
  let validator: Validator | undefined
  let statusValidator: Validator | undefined
  let rules: { readonly tree: RuleTree | undefined } | undefined
  return {
    version,
    schema,
    node,
    decoding: { node, preservesAll: definition.spec.preserveUnknownFields === true },
    get validator() {
      if (schema !== undefined) validator ??= validatorOf(schema)
      return validator
    },
    get statusValidator() {
      if (status !== undefined && hasStatus) statusValidator ??= validatorOf(status)
      return statusValidator
    },
    get rules() {
      if (schema !== undefined && rules === undefined) rules = { tree: ruleTreeOf(schema, true) }
      return rules?.tree
    },
    scale: scaleOf(version),
  }
}
