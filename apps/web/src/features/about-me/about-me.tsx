import { FactsCard } from './facts-card.tsx'
import { InstructionsCard } from './instructions-card.tsx'

/** The user's instructions and remembered facts, as two cards side by side where there's space. */
export function AboutMe() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <InstructionsCard />
      <FactsCard />
    </div>
  )
}
