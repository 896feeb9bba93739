/** Paths that many tests use. */

/** The ConfigMaps of the namespace default. */
export const configMaps = '/api/v1/namespaces/default/configmaps'
