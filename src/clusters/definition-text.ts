/** A CustomResourceDefinition with its schemas, transferred from the control object as the stored text. */
import type { AnswerForm } from './message-forms.ts'

/** The JSON of a definition in the state of this tag. */
export interface DefinitionText {
  readonly tag: string
  readonly text: string
}

const tagHeader = 'x-definition-tag'

/** Names a definition by its `name`, or by the `group` and `kind` of its objects. */
export interface DefinitionName {
  readonly name?: string | undefined
  readonly group?: string | undefined
  readonly kind?: string | undefined
}

/** The stored text, with the tag in a header; 404 for `undefined`: no such definition is served. */
export const definitionAnswer: AnswerForm<DefinitionText | undefined> = {
  write: (definition) =>
    definition === undefined
      ? new Response(null, { status: 404 })
      : new Response(definition.text, { headers: { [tagHeader]: encodeURIComponent(definition.tag) } }),
  read: async (response) => {
    const text = await response.text()
    return response.ok ? { tag: decodeURIComponent(response.headers.get(tagHeader) ?? ''), text } : undefined
  },
}
