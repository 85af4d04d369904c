import { Sparkles } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'

/** Badge with the engine and model that produced a result. */
export function EngineBadge({ engine }: { engine: { engine: string; model: string | null } | undefined }) {
  if (!engine) return null
  return (
    <Badge tone="ai" icon={<Sparkles aria-hidden />}>
      {engine.model ?? engine.engine}
    </Badge>
  )
}
