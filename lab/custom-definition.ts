/** Definitions of custom resources for measurements. */

/**
 * Returns the definition of a namespaced kind in one version, whose spec has one number.
 * @param field the name of the number
 * @param more further members of the schema
 */
export function customDefinition(group: string, kind: string, field: string, more: object = {}) {
  const plural = `${kind.toLowerCase()}s`
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec }, ...more } },
        },
      ],
    },
  }
}
