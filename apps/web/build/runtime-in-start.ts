import type { Plugin } from 'vite'

const START = 'virtual:start'
/** Prefix that makes the helpers' exported names longer than those that the bundler chooses, so that they don't collide. */
const HELPER = '$$'
/** Modules that need the bundler's helpers and wouldn't import the first script otherwise. */
const loadedAlone = /\/src\/messages\/[a-z]{2}\/|\/node_modules\/(tus-js-client|property-information)\//

/**
 * Moves the bundler's module helpers into the first script. Otherwise they'd be a separate file that every screen waits for: the
 * bundler puts them into a chunk of `chunks.ts` only if no other chunk needs them.
 */
export function runtimeInStart(): Plugin {
  return {
    name: 'runtime-in-start',
    apply: 'build',
    // after message files have been compiled to scripts
    enforce: 'post',
    resolveId: {
      filter: { id: /^virtual:start$/ },
      handler: () => ({ id: `\0${START}`, moduleSideEffects: 'no-treeshake' }),
    },
    load: { filter: { id: /^\0virtual:start$/ }, handler: () => 'export {}' },
    transform: {
      filter: { id: loadedAlone },
      // file names contain a hash of the content, so the import must be there before they're chosen
      handler: (code) => ({ code: `import '${START}';\n${code}`, map: null }),
    },
    generateBundle: {
      // before index.html lists the scripts
      order: 'pre',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const [runtime, start] = ['rolldown-runtime', 'start'].map((name) =>
          chunks.find((chunk) => chunk.name === name),
        )
        if (!runtime || !start) return this.error('The build has no first script or no bundler helpers.')
        const importOfRuntime = new RegExp(`import\\{([^}]*)\\}from"\\./${fileOf(runtime)}";?`)
        const [, helpers = '', exported = ''] = /^(.*)export\{([^}]*)\};?\s*$/s.exec(runtime.code) ?? []
        const names = readNames(exported)
        const imports = readNames(importOfRuntime.exec(start.code)?.[1] ?? '')
        if (names.length === 0 || imports.length !== names.length) {
          return this.error('The bundler helpers differ from what runtime-in-start.ts expects.')
        }
        const returned = names.map(([own, name]) => `${name}:${own}`).join()
        const bindings = imports.map(([name, own]) => `${name}:${own}`).join()
        const exportList = imports.map(([name, own]) => `${own} as ${HELPER}${name}`).join()
        start.code = `${start.code.replace(importOfRuntime, () => `var{${bindings}}=(()=>{${helpers}return{${returned}}})();`)}export{${exportList}};`
        for (const chunk of chunks) {
          if (!chunk.imports.includes(runtime.fileName)) continue
          chunk.imports = chunk.imports.filter((name) => name !== runtime.fileName)
          if (chunk === start) continue
          if (!chunk.imports.includes(start.fileName)) {
            return this.error(
              `${chunk.fileName} needs bundler helpers but doesn't import the first script (runtime-in-start.ts).`,
            )
          }
          const importOfStart = new RegExp(`import(?:\\{([^}]*)\\}from)?"\\./${fileOf(start)}";`)
          const helperImports = readNames(importOfRuntime.exec(chunk.code)?.[1] ?? '').map(
            ([name, own]) => `${HELPER}${name} as ${own}`,
          )
          const code = chunk.code.replace(importOfRuntime, '')
          chunk.code = code.replace(importOfStart, (_all, others?: string) => {
            const names = others === undefined ? helperImports : [...helperImports, others]
            return `import{${names.join()}}from"./${fileOf(start)}";`
          })
          if (chunk.code.includes(fileOf(runtime)) || !chunk.code.includes(helperImports.join())) {
            return this.error(
              `${chunk.fileName} imports the bundler helpers differently from what runtime-in-start.ts expects.`,
            )
          }
        }
        delete bundle[runtime.fileName]
      },
    },
  }
}

const fileOf = ({ fileName }: { fileName: string }) => fileName.replace(/^.*\//, '')

/** Pairs of names: `a as b,c` is `[['a', 'b'], ['c', 'c']]`. */
function readNames(list: string): [string, string][] {
  return list
    .split(',')
    .filter((item) => item.trim() !== '')
    .map((item) => {
      const [name = '', alias = name] = item.trim().split(/\s+as\s+/)
      return [name, alias]
    })
}
