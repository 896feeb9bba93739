/** The phase of a namespace. */
export type NamespacePhase = 'Active' | 'Terminating'
