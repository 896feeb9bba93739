/**
 * Summaries of definitions for the policy snapshot: names, versions, and whether they are served. Schemas, which are large, are
 * fetched by the parts that need them.
 */
import type { DefinitionSummary } from '../clusters/definition-summary.ts'
import { type CustomResourceDefinition, isNamespaced, isTrue, storageVersionOf } from './definition.ts'

/** Returns the tag of a definition's state. It includes the names, because objects contain their kind. */
function tagOf({ metadata, status }: CustomResourceDefinition): string {
  const names = status?.acceptedNames
  return [metadata.uid, metadata.generation ?? 0, names?.kind ?? '', names?.listKind ?? '', names?.singular ?? ''].join('/')
}

/** Returns the summary of a definition; undefined if it is not served. */
export function summaryOf(definition: CustomResourceDefinition): DefinitionSummary | undefined {
  const { spec, status } = definition
  if (status === undefined || (!isTrue(definition, 'NamesAccepted') && !isTrue(definition, 'Established'))) return undefined
  const { acceptedNames } = status
  if (acceptedNames.plural === '' || acceptedNames.kind === '') return undefined
  return {
    tag: tagOf(definition),
    group: spec.group,
    resource: acceptedNames.plural,
    singular: acceptedNames.singular ?? '',
    kind: acceptedNames.kind,
    listKind: acceptedNames.listKind ?? `${acceptedNames.kind}List`,
    shortNames: acceptedNames.shortNames ?? [],
    categories: acceptedNames.categories ?? [],
    namespaced: isNamespaced(spec),
    isEstablished: isTrue(definition, 'Established'),
    isTerminating: isTrue(definition, 'Terminating'),
    storageVersion: storageVersionOf(spec)?.name ?? '',
    versions: spec.versions
      .filter((version) => version.served)
      .map(({ name, subresources }) => ({
        name,
        hasStatus: subresources?.status !== undefined,
        hasScale: subresources?.scale !== undefined,
      })),
  }
}
