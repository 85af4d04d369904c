import type { AgentData } from '@mira/shared'
import { CalculationResult } from './calculation-result.tsx'
import { FileList } from './file-list.tsx'
import { NewsList } from './news-list.tsx'
import { RemindersResult } from './reminders-result.tsx'
import { WeatherCard } from './weather-card.tsx'

/** Result of an agent, rendered by kind; plain text when there's no structured data. */
export function AgentResult({ data, output }: { data: AgentData | null; output: string }) {
  switch (data?.kind) {
    case 'weather':
      return <WeatherCard weather={data} />
    case 'news':
      return <NewsList news={data} />
    case 'reminders':
      return <RemindersResult answer={data} />
    case 'files':
      return <FileList answer={data} output={output} />
    case 'calculation':
      return <CalculationResult calculation={data} />
    default:
      return <p className="text-14 break-words whitespace-pre-wrap">{output}</p>
  }
}
