import { TriangleAlert } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { PREVIEW_CHARACTERS } from './limits.ts'
import type { UploadResult } from './queue-entry.ts'

/** The beginning of a text on one line, cut to so many characters; null when there is none. */
export function previewOf(text: string | null, mostCharacters: number): string | null {
  const line = text?.replace(/\s+/g, ' ').trim() ?? ''
  if (line === '') return null
  const characters = [...line]
  return characters.length <= mostCharacters ? line : `${characters.slice(0, mostCharacters).join('')}…`
}

/** Summary of a processed file: its caption, and the beginnings of its text and transcript. */
export function ResultPreview({ result }: { result: UploadResult }) {
  const text = useText('upload')
  const sentenceText = useSentenceText()
  const findings = [
    { name: text('result.caption'), value: result.caption },
    { name: text('result.extractedText'), value: previewOf(result.extractedText, PREVIEW_CHARACTERS) },
    { name: text('result.transcription'), value: previewOf(result.transcription, PREVIEW_CHARACTERS) },
  ].filter(({ value }) => value !== null)
  return (
    <div className="mt-1.5 text-13">
      {findings.length > 0 ? (
        <dl className="flex flex-col gap-1">
          {findings.map(({ name, value }) => (
            <div key={name} className="min-w-0">
              <dt className="inline font-medium">{name}: </dt>
              <dd className="inline text-muted">{value}</dd>
            </div>
          ))}
        </dl>
      ) : (
        result.failedSteps.length === 0 && <NothingFound skippedSteps={result.skippedSteps} />
      )}
      {result.failedSteps.map(({ name, error, error_told }) => (
        <p key={name} className="mt-1 flex items-start gap-1.5 text-warning-text">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0">
            {text('result.stepReason', { step: text(`steps.${name}`), reason: sentenceText(error ?? '', error_told) })}
          </span>
        </p>
      ))}
    </div>
  )
}

/** Lists the skipped steps with reasons; says that nothing was found only when none was skipped. */
function NothingFound({ skippedSteps }: Pick<UploadResult, 'skippedSteps'>) {
  const text = useText('upload')
  const sentenceText = useSentenceText()
  if (skippedSteps.length === 0) return <p className="text-muted">{text('result.nothing')}</p>
  return skippedSteps.map(({ name, error, error_told }) => (
    <p key={name} className="text-muted">
      {text('result.stepReason', { step: text(`steps.${name}`), reason: sentenceText(error ?? '', error_told) })}
    </p>
  ))
}
