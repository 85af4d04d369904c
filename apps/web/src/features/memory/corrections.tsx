import type { UnderstoodQuery } from '@mira/shared'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'

/** Says which words stand nowhere and what is shown for them, and searches for them as they were typed. */
export function Corrections({ corrections, onExact }: CorrectionsProps) {
  const text = useText('memory')
  const format = useFormat()
  const typed = [...new Set(corrections.map(({ from }) => from))]
  return (
    <Banner tone="info" className="mb-4">
      {typed.map((word) => {
        const others = corrections.flatMap(({ from, to }) =>
          from === word ? [text('corrections.word', { word: to })] : [],
        )
        return (
          <p key={word}>
            {text('corrections.nothing', { word: text('corrections.word', { word }) })}{' '}
            {text('corrections.showing', { words: format.list(others) })}
          </p>
        )
      })}
      <Button size="sm" className="mt-2" onClick={onExact}>
        {text('corrections.exact')}
      </Button>
    </Banner>
  )
}

type CorrectionsProps = {
  corrections: NonNullable<UnderstoodQuery['corrections']>
  onExact: () => void
}
