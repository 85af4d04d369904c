import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { Link } from 'react-router-dom'
import { fetchMediaStats } from '../../api/media.ts'
import { useText } from '../../lib/i18n.ts'
import { paths } from '../../lib/paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { WordsAlone } from './words-alone.tsx'

/** Advice where a search found nothing; for an empty library, to add files. */
export function NothingFound({ query, words, isNear, onChoose }: NothingFoundProps) {
  const text = useText('memory')
  const { data: stats } = useQuery({
    queryKey: ['media', 'stats'],
    queryFn: ({ signal }) => fetchMediaStats(signal),
  })
  const isLibraryEmpty = stats?.total_items === 0
  return (
    <Card>
      <EmptyState
        icon={<SearchX />}
        level={3}
        title={text('results.emptyTitle')}
        text={
          <>
            {text('results.emptyText')}
            {isLibraryEmpty && <span className="block">{text('empty.title')}</span>}
            {!isLibraryEmpty && !isNear && <span className="block">{text('results.nothingNear')}</span>}
          </>
        }
        action={
          isLibraryEmpty && (
            <Link to={paths.upload} className={buttonClass({ variant: 'primary' })}>
              {text('empty.add')}
            </Link>
          )
        }
      />
      <WordsAlone query={query} words={words} onChoose={onChoose} />
    </Card>
  )
}

type NothingFoundProps = {
  query: string
  /** Its words, without times, kinds and filters. */
  words: string
  /** True where near results are shown. */
  isNear: boolean
  /** Searches for a part of it. */
  onChoose: (query: string) => void
}
