/** What every form in which a client may have objects does. */

/** How a client gets the objects of a kind. All texts are JSON; a `value` is an object as it is stored. */
export interface Form {
  /** Two forms of one kind and of the same name write the same. */
  readonly name: string
  /** An object on its own. */
  readonly object: (value: string) => string
  /** A list up to its objects, of the JSON of its metadata: `{…,"items":`. */
  readonly listHead: (metadata: string) => string
  /** What stands where the objects would, if there are none. */
  readonly emptyList: '[]' | 'null'
  /** An object within a list, `stored` where it is the value as it is. */
  readonly item: 'stored' | ((value: string) => string)
  /** The form of events behind the first, where these leave something out. */
  readonly following?: Form
  /** The form of the bookmark that ends the initial events, where it shows more than others. */
  readonly initialEventsEnd?: Form
}

/** Objects of a list with commas between them. */
export function joinedItems(form: Form, objects: readonly { readonly value: string }[]): string {
  const { item } = form
  return objects.map(item === 'stored' ? ({ value }) => value : ({ value }) => item(value)).join(',')
}

/** The objects of a list as its JSON has them. */
export function itemsText(form: Form, objects: readonly { readonly value: string }[]): string {
  return objects.length === 0 ? form.emptyList : `[${joinedItems(form, objects)}]`
}
