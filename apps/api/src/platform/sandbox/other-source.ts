import { type ImportFileSource, say, sayAll } from '@mira/shared'
import { ValidationError } from '../../errors.ts'
import type { TaskError } from './task-error.ts'

const programs = {
  mira: 'Mira',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  'open-webui': 'Open WebUI',
  librechat: 'LibreChat',
  takeout: 'Google Photos (Takeout)',
  apple: 'Apple (iCloud Photos)',
} satisfies Partial<Record<ImportFileSource, string>>

/** Error for an export of another program, with that program's name where known. */
export function otherSource(source: keyof typeof programs, error: TaskError): ValidationError {
  const word = (of: keyof typeof programs) => ({ source: of.replace('-', '') })
  const text = `This is no export of ${programs[source]}. Choose where it comes from.`
  const program = Object.hasOwn(programs, error.message) ? (error.message as keyof typeof programs) : null
  const sentences = [
    say('import_other_source', word(source), text),
    ...(program ? [say('import_seems_of', word(program), `It looks like one of ${programs[program]}.`)] : []),
  ]
  const { text: reason, told } = sayAll(...sentences)
  return new ValidationError(reason, { code: 'import_other_source', told, cause: error })
}
