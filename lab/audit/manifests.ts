/** The manifests of a preview of an application: fifty objects of ten kinds. */
import { customDefinition } from '../custom-definition.ts'

/** A manifest, and the path of its collection. */
export interface Manifest {
  readonly path: string
  readonly body: { readonly metadata: { readonly name: string } }
}

const core = '/api/v1/namespaces/preview'
const rules = '/apis/rbac.authorization.k8s.io/v1/namespaces/preview'
const group = 'rbac.authorization.k8s.io'

const several = (count: number, path: string, bodyOf: (name: string) => object, prefix = path.slice(path.lastIndexOf('/') + 1)) =>
  Array.from({ length: count }, (_, index): Manifest => {
    const name = `${prefix}-${index}`
    return { path, body: { metadata: { name }, ...bodyOf(name) } }
  })

const deployment = (name: string): object => ({
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'registry.example/app:1',
            ports: [{ containerPort: 8080 }],
            env: [{ name: 'LEVEL', value: 'info' }],
            resources: { requests: { cpu: '100m', memory: '128Mi' } },
          },
        ],
      },
    },
  },
})

const definition = {
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  body: customDefinition('example.com', 'Lamp', 'watts'),
}

export const manifests: readonly Manifest[] = [
  { path: '/api/v1/namespaces', body: { metadata: { name: 'preview' } } },
  ...several(12, `${core}/configmaps`, () => ({ data: { settings: 'x'.repeat(700) } })),
  ...several(6, `${core}/secrets`, () => ({ stringData: { password: 'x'.repeat(40) } })),
  ...several(5, `${core}/serviceaccounts`, () => ({})),
  ...several(4, `${rules}/roles`, () => ({ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }] })),
  ...several(4, `${rules}/rolebindings`, (name) => ({
    roleRef: { apiGroup: group, kind: 'Role', name: name.replace('rolebindings', 'roles') },
    subjects: [{ kind: 'ServiceAccount', name: name.replace('rolebindings', 'serviceaccounts'), namespace: 'preview' }],
  })),
  ...several(8, '/apis/apps/v1/namespaces/preview/deployments', deployment),
  ...several(6, `${core}/services`, (name) => ({ spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] } })),
  definition,
  ...several(3, '/apis/example.com/v1/namespaces/preview/lamps', () => ({
    apiVersion: 'example.com/v1',
    kind: 'Lamp',
    spec: { watts: 12 },
  })),
]
