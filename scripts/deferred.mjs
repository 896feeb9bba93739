/**
 * Deferred modules of a bundle: they are compiled and evaluated when one of their functions is called for the first time. All other
 * modules are compiled at each start, whatever the first requests need.
 *
 * An import of a deferred module leads to a generated module with a function for each function that is exported: the first call
 * loads the group of the deferred module, and replaces these functions by those of the module. Other exports are missing there, so
 * that importing one of them fails the build. workerd's `require` loads an ES module synchronously.
 */
import { dirname, join, resolve } from 'node:path'

/** The entry point of a group, and its specifier until the name of its output is known. */
export const entryOfGroup = (group) => `deferred:${group}`

/**
 * Makes the plugin of esbuild that defers the loading of modules.
 * @param root the directory to which paths are relative
 * @param groups the paths of modules by the name of their group. `entryOfGroup` of each must be an entry point of the build
 */
export const deferredModules = (root, groups) => ({
  name: 'deferred-modules',
  setup(build) {
    const places = placesOf(root, groups)
    build.onResolve({ filter: /^deferred:/ }, ({ path }) => ({ path: path.slice('deferred:'.length), namespace: 'deferred' }))
    build.onLoad({ filter: /./, namespace: 'deferred' }, ({ path }) => ({
      contents: groups[path].map((file, index) => `export * as module${index} from './${file}'`).join('\n'),
      resolveDir: root,
    }))
    build.onResolve({ filter: /^\./ }, ({ path, importer, namespace, resolveDir }) => {
      const file = resolve(resolveDir || dirname(importer), path)
      return namespace !== 'deferred' && places.has(file) ? { path: file, namespace: 'caller' } : undefined
    })
    build.onLoad({ filter: /./, namespace: 'caller' }, async ({ path }) => ({
      contents: callerOf(places.get(path), await exportedFunctions(build.esbuild, path)),
      resolveDir: root,
    }))
  },
})

const placesOf = (root, groups) =>
  new Map(Object.entries(groups).flatMap(([group, files]) => files.map((file, index) => [join(root, file), { group, index }])))

/** Gives the names of the functions that a module exports. */
async function exportedFunctions(esbuild, path) {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [path],
    outdir: dirname(path),
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const [{ text }] = outputFiles
  const names = Object.values(metafile.outputs).flatMap((output) => output.exports)
  const isFunction = (name) =>
    new RegExp(`^(?:(?:async )?function\\*? ${name}\\(|const ${name} = (?:async )?(?:\\(|\\w+ =>))`, 'm').test(text)
  return names.filter(isFunction)
}

/** Writes the module that calls the functions of a deferred one. */
const callerOf = ({ group, index }, names) => `import { createRequire } from 'node:module'
${names.map((name) => `export let ${name} = (...values) => (loadModule(), ${name}(...values))`).join('\n')}
function loadModule() {
  ;({ ${names.join(', ')} } = createRequire(import.meta.url)('${entryOfGroup(group)}').module${index})
}
`

/**
 * Gives the text of an output in which the specifiers of groups are the names of their outputs.
 * @param outputs the names of outputs by entry points
 */
export const withOutputNames = (text, outputs) =>
  Object.entries(outputs).reduce((result, [entry, name]) => result.replaceAll(`"${entry}"`, `"./${name}"`), text)
