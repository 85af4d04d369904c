import type { AgentCall } from '@mira/shared'
import { Palette } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { CallLine } from './call-line.tsx'

/** One line for a picture being generated; the picture itself appears below the answer. */
export function PictureMaking({ call: { state, arguments: input, summary = '' } }: { call: AgentCall }) {
  const text = useText('chat')
  const prompt = typeof input === 'object' && input !== null && 'prompt' in input ? String(input.prompt) : ''
  return (
    <CallLine state={state} Icon={Palette}>
      {state === 'started' && text('drawing.started', { prompt })}
      {state === 'finished' && text('drawing.finished', { prompt, model: summary })}
      {state === 'failed' && text('drawing.failed', { prompt, reason: summary })}
    </CallLine>
  )
}
