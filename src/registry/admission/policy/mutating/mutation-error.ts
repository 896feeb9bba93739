/** A mutation cannot be applied. The failurePolicy decides whether that rejects the request. */
export class MutationError extends Error {}
