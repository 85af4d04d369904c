import type { ImportFileSource } from '@mira/shared'
import { ValidationError } from '../../errors.ts'
import { say, sayAll } from '../../sentences.ts'
import type { TaskError } from './task-error.ts'

/** The programs that the catalogue names. */
const programs = [
  'mira',
  'chatgpt',
  'claude',
  'open-webui',
  'librechat',
  'takeout',
  'apple',
] as const satisfies ImportFileSource[]
type Program = (typeof programs)[number]

/** Error for an export of another program, with that program's name where known. */
export function otherSource(source: Program, error: TaskError): ValidationError {
  const paramsOf = (of: Program) => ({ source: of.replace('-', '') })
  const program = programs.find((name) => name === error.message)
  const sentence = sayAll(
    say('import_other_source', paramsOf(source)),
    ...(program === undefined ? [] : [say('import_seems_of', paramsOf(program))]),
  )
  return new ValidationError(sentence, { code: 'import_other_source', cause: error })
}
