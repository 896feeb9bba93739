/** The request of a node's kubelet, which the plugin NodeRestriction admits. */
import type { ApiError } from '../../../../meta/errors.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { type AdmissionAttributes, admissionForbidden, type MutatingContext } from '../../plugin.ts'

/** A request whose user is a node. */
export interface NodeRequest {
  readonly attributes: AdmissionAttributes
  /** The name of the node. */
  readonly node: string
  readonly object: KubernetesObject
  readonly old: KubernetesObject | undefined
  readonly context: MutatingContext
}

/** Admits the requests for one resource. Throws ApiError to reject, MissingLookups. */
export type AdmitNode = (request: NodeRequest) => void

/** Returns the 403 error for a request. */
export const refusal = ({ attributes, object }: NodeRequest, why: string): ApiError => admissionForbidden(attributes, object, why)

/** Returns the name of the requested object, which a create has in its body alone. */
export const nameOf = ({ attributes, object }: NodeRequest): string => attributes.name || (object.metadata.name ?? '')
