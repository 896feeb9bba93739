/** The media types of bodies. */

/** The media type of protobuf. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf'
export type ProtobufMediaType = typeof protobufMediaType

/** CBOR (RFC 8949), behind the feature gate CBORServingAndStorage. */
export const cborMediaType = 'application/cbor'

/** The media type of a watch in CBOR: a CBOR sequence (RFC 8742). */
export const cborSequence = 'application/cbor-seq'

/** The media types of responses. */
export type MediaType = 'application/json' | 'application/yaml' | ProtobufMediaType | typeof cborMediaType
