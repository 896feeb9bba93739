/** Permissions by resourceNames, for subresources, and for lists and watches limited by name. */
import { applyPatch, type Case, custom, dryRun, mergePatch, other, own } from '../case.ts'

const core = `/api/v1/namespaces/${own}`
const selected = (selector: string): string => `fieldSelector=${encodeURIComponent(selector)}`

const collections: Readonly<Record<string, { readonly path: string; readonly kind: string; readonly apiVersion: string }>> = {
  configmaps: { path: `${core}/configmaps`, kind: 'ConfigMap', apiVersion: 'v1' },
  widgets: { path: `${custom}/namespaces/${own}/widgets`, kind: 'Widget', apiVersion: 'matrix.example.com/v1' },
}

const selectors = [
  'metadata.name=one',
  'metadata.name!=one',
  'metadata.name=one,metadata.name=two',
  'metadata.name=one,metadata.namespace=matrix-other',
  `metadata.namespace=${own},metadata.name=one`,
  'metadata.name=',
  'metadata.name=one/two',
  'metadata.name=%',
]

function* ofNamed(user: string): Iterable<Case> {
  for (const { path, kind, apiVersion } of Object.values(collections)) {
    const body = (name?: string): object => ({
      apiVersion,
      kind,
      metadata: name === undefined ? { generateName: 'one' } : { name },
    })
    yield { user, method: 'POST', path: dryRun(path), body: body('one') }
    yield { user, method: 'POST', path: dryRun(path), body: body('three') }
    yield { user, method: 'POST', path: dryRun(path), body: body(), note: 'generated' }
    for (const name of ['one', 'two', 'ONE', 'on%65', 'one%20', 'one%00', 'on%C3%A9']) {
      const object = `${path}/${name}`
      yield { user, method: 'GET', path: object }
      yield { user, method: 'DELETE', path: dryRun(object) }
      yield { user, method: 'PATCH', path: dryRun(object), headers: mergePatch, body: {} }
      yield { user, method: 'PUT', path: dryRun(object), body: body('one') }
      yield { user, method: 'PATCH', path: dryRun(`${object}?fieldManager=m`), headers: applyPatch, body: body('one') }
      yield { user, method: 'GET', path: `${object}/status` }
      yield { user, method: 'GET', path: `${object}?watch=1` }
    }
    for (const selector of selectors) {
      yield { user, method: 'GET', path: `${path}?${selected(selector)}` }
      yield { user, method: 'GET', path: `${path}?watch=1&timeoutSeconds=1&${selected(selector)}` }
      yield { user, method: 'DELETE', path: dryRun(`${path}?${selected(selector)}`) }
    }
    const one = selected('metadata.name=one')
    for (const more of [
      'watch=false',
      'watch=',
      'watch=no',
      'watch=1&watch=0',
      'watch=0&watch=1',
      'limit=x',
      'timeoutSeconds=x',
      'labelSelector=(',
    ]) {
      yield { user, method: 'GET', path: `${path}?${one}&timeoutSeconds=1&${more}` }
      yield { user, method: 'GET', path: `${path}?timeoutSeconds=1&${more}` }
    }
    yield { user, method: 'GET', path: `${path}?${one}&${selected('metadata.name=two')}` }
    yield { user, method: 'GET', path: `${path}?${selected('metadata.name=two')}&${one}` }
    yield { user, method: 'GET', path: `${path}?FieldSelector=metadata.name%3Done` }
    yield { user, method: 'POST', path: `${path}?${one}&dryRun=All`, body: body('three') }
    for (const override of ['X-HTTP-Method-Override', 'X-HTTP-Method']) {
      yield { user, method: 'POST', path: `${path}/one`, headers: { [override]: 'DELETE' } }
      yield { user, method: 'GET', path: `${path}/two`, headers: { [override]: 'GET' } }
    }
    yield { user, method: 'POST', path: `${path}/one?_method=DELETE`, body: body('one') }
    for (const at of ['one', 'two']) {
      yield { user, method: 'GET', path: path.replace('/namespaces/', '/watch/namespaces/').concat(`/${at}?timeoutSeconds=1`) }
    }
    yield { user, method: 'GET', path: path.replace('/namespaces/', '/watch/namespaces/').concat(`?timeoutSeconds=1&${one}`) }
    yield { user, method: 'POST', path: path.replace('/namespaces/', '/watch/namespaces/'), body: body('one') }
    yield { user, method: 'DELETE', path: dryRun(path.replace('/namespaces/', '/watch/namespaces/').concat('/one')) }
  }
  yield* ofNamespaces(user)
}

function* ofNamespaces(user: string): Iterable<Case> {
  for (const name of [own, other]) {
    const path = `/api/v1/namespaces/${name}`
    yield { user, method: 'GET', path }
    yield { user, method: 'GET', path: `${path}/status` }
    yield { user, method: 'GET', path: `/api/v1/watch/namespaces/${name}?timeoutSeconds=1` }
    yield { user, method: 'GET', path: `/api/v1/namespaces?${selected(`metadata.name=${name}`)}` }
    yield { user, method: 'GET', path: `/api/v1/namespaces?watch=1&timeoutSeconds=1&${selected(`metadata.name=${name}`)}` }
    yield { user, method: 'DELETE', path: dryRun(path) }
    yield {
      user,
      method: 'PUT',
      path: `${path}/finalize?dryRun=All`,
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    }
  }
}

function* ofSubresources(user: string): Iterable<Case> {
  const apps = `/apis/apps/v1/namespaces/${own}/deployments/one`
  const widget = `${custom}/namespaces/${own}/widgets/one`
  for (const path of [`${core}/pods/one`, apps, widget]) {
    for (const tail of [
      '',
      '/status',
      '/scale',
      '/nothing',
      '/STATUS',
      '//status',
      '/status/x',
      '/log',
      '/exec?command=x',
      '/proxy',
      '/attach',
      '/eviction',
    ]) {
      const at = `${path}${tail}`
      yield { user, method: 'GET', path: at }
      if (tail.includes('?') || tail.includes('proxy')) continue
      yield { user, method: 'PATCH', path: dryRun(at), headers: mergePatch, body: {} }
      yield { user, method: 'PATCH', path: dryRun(`${at}?fieldManager=m`), headers: applyPatch, body: {} }
      yield { user, method: 'POST', path: dryRun(at), body: {} }
    }
  }
}

export function* names(): Iterable<Case> {
  for (const user of ['named', 'own-admin']) yield* ofNamed(user)
  for (const user of ['subresource-only', 'without-subresources', 'reader']) yield* ofSubresources(user)
  for (const user of ['creator', 'reader', 'updater', 'own-admin', 'nobody']) {
    for (const { path } of Object.values(collections)) {
      yield { user, method: 'DELETE', path: dryRun(path) }
      yield { user, method: 'DELETE', path: dryRun(path.replace(own, other)) }
    }
    yield { user, method: 'DELETE', path: dryRun('/api/v1/configmaps') }
    yield { user, method: 'DELETE', path: dryRun('/api/v1/namespaces') }
  }
}
