/** A definition with its schemas, as the control object has it: the text goes as it is stored, and is not packed into another. */
import type { CollectionClient } from './collection-client.ts'

/** A definition's text, in the state that the tag names. */
export interface DefinitionText {
  readonly tag: string
  readonly text: string
}

const tagHeader = 'x-definition-tag'

/** The control object's answer. */
export const definitionResponse = ({ tag, text }: DefinitionText): Response =>
  new Response(text, { headers: { [tagHeader]: encodeURIComponent(tag) } })

/**
 * Asks for a definition.
 * @param which by `name`, or by the `group` and `kind` of its objects
 * @returns undefined where there is none that is served
 */
export async function fetchDefinition(
  objects: CollectionClient,
  which: Readonly<Record<string, string>>,
): Promise<DefinitionText | undefined> {
  const response = await objects.control().fetch(`http://control/definition?${new URLSearchParams(which)}`)
  if (!response.ok) return undefined
  return { tag: decodeURIComponent(response.headers.get(tagHeader) ?? ''), text: await response.text() }
}
