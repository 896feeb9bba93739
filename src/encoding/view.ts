/** The views of objects in answers. Follows "Receiving resources as Tables" of the API concepts. */
import type { Kind } from '../catalog/kind.ts'
import { internalType } from '../catalog/registered-kinds.ts'
import { ApiError } from '../meta/errors.ts'

/** The versions of meta.k8s.io. */
export type MetaVersion = 'v1' | 'v1beta1'

/** A view of objects other than the objects themselves: rows of a Table, or metadata alone. Operations contain it. */
export type View = TableView | MetadataView

/** Rows of a Table. */
export interface TableView {
  readonly as: 'Table'
  readonly version: MetaVersion
  /** The parameter of the same name, not validated: it is validated when the first row is rendered. */
  readonly includeObject: string
}

/** Metadata alone, of an object or of the objects of a list. */
export interface MetadataView {
  readonly as: 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  readonly version: MetaVersion
}

/** Whether one object is shown, or a list. */
export type Shown = 'object' | 'list'

function notAcceptable(kind: Kind, as: string, shown: Shown): ApiError {
  // To Go a custom resource may be a list, until its items are read.
  if (kind.definition !== undefined && shown === 'object') return new ApiError(500, '', 'content is not a list')
  const list = kind.definition === undefined ? `${internalType(kind)}List` : 'unstructured.UnstructuredList'
  const what = shown === 'list' ? `a list (*${list})` : `not a list (*${internalType(kind)})`
  return new ApiError(406, 'NotAcceptable', `you requested ${as}, but the requested object is ${what}`)
}

/**
 * Checks that metadata of one object is requested of an object, and metadata of a list of a list.
 * @throws ApiError 406
 */
export function checkMetadata(kind: Kind, { as }: MetadataView, shown: Shown): void {
  if ((as === 'PartialObjectMetadataList') !== (shown === 'list')) throw notAcceptable(kind, as, shown)
}
