/** The phase of a namespace, as other requests depend on it. */
export type NamespacePhase = 'Active' | 'Terminating'
