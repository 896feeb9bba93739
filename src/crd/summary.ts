/**
 * What everybody has to know of a definition: names, versions and whether it is served. The schemas, which are large, are
 * asked for where they are used. The control object makes the summaries, the policy snapshot carries them.
 */
import type { DefinitionSummary } from '../clusters/definition-summary.ts'
import { type CustomResourceDefinition, isNamespaced, isTrue, storageVersionOf } from './definition.ts'

/** Names decide about what objects say of themselves: the tag changes with them. */
function tagOf({ metadata, status }: CustomResourceDefinition): string {
  const names = status?.acceptedNames
  return [metadata.uid, metadata.generation ?? 0, names?.kind ?? '', names?.listKind ?? '', names?.singular ?? ''].join('/')
}

/** The summary of a definition whose names are accepted; undefined for one that is not served. */
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
