/** A CustomResourceDefinition with its schemas, transferred from the control object as the stored text. */
import type { CollectionClient } from './collection-client.ts'
import { fetchInner } from './protocol.ts'

/** The JSON of a definition in the state of this tag. */
export interface DefinitionText {
  readonly tag: string
  readonly text: string
}

const tagHeader = 'x-definition-tag'

/** Returns the control object's response with a definition. */
export const definitionResponse = ({ tag, text }: DefinitionText): Response =>
  new Response(text, { headers: { [tagHeader]: encodeURIComponent(tag) } })

/**
 * Reads a definition from the control object.
 * @param which its `name`, or the `group` and `kind` of its objects
 * @returns undefined if no such definition is served
 */
export async function fetchDefinition(
  objects: CollectionClient,
  which: Readonly<Record<string, string>>,
): Promise<DefinitionText | undefined> {
  const response = await fetchInner(objects.control(), `/definition?${new URLSearchParams(which)}`)
  if (!response.ok) return undefined
  return { tag: decodeURIComponent(response.headers.get(tagHeader) ?? ''), text: await response.text() }
}
