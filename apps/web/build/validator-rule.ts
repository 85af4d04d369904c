import type { Plugin } from 'vite'

const isForm = (moduleId: string) => /-form\.tsx?$/.test(moduleId)
const isValidator = (moduleId: string) => moduleId.includes('/node_modules/zod/')

/** Fails the build when a screen would load the validator before a form is opened. */
export function validatorRule(): Plugin {
  return {
    name: 'validator-rule',
    apply: 'build',
    generateBundle(_options, bundle) {
      const holdsValidator = (file: string, seen = new Set<string>()): boolean => {
        const chunk = bundle[file]
        if (chunk?.type !== 'chunk' || seen.has(file)) return false
        seen.add(file)
        return chunk.moduleIds.some(isValidator) || chunk.imports.some((imported) => holdsValidator(imported, seen))
      }
      for (const [file, chunk] of Object.entries(bundle)) {
        const isScreen = chunk.type === 'chunk' && (chunk.isEntry || chunk.isDynamicEntry)
        if (isScreen && !isForm(chunk.facadeModuleId ?? '') && holdsValidator(file)) {
          this.error(
            `${file} holds the validator: import words of the contract there, and schemas in a "-form" module.`,
          )
        }
      }
    },
  }
}
