import type { PromptJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, SquareSlash, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { ListCard } from '../../../lib/components/list-card.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-removal.ts'
import { PROMPTS_HASH } from '../../../lib/session/paths.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SkeletonText } from '../../../ui/skeleton.tsx'
import { PromptDialog } from './prompt-dialog.tsx'
import { promptsQuery } from './prompts-query.ts'

/** The texts that the person saved to begin messages with: to add to, change and delete. */
export function PromptsCard() {
  const text = useText('prompts')
  const query = useQuery(promptsQuery)
  /** Undefined while none is written; null for a new one. */
  const [edited, setEdited] = useState<PromptJson | null>()
  return (
    <>
      <ListCard
        id={PROMPTS_HASH}
        level={3}
        title={text('title')}
        description={text('text')}
        add={{ icon: <Plus aria-hidden />, children: text('add'), onClick: () => setEdited(null) }}
        query={query}
        items={query.data}
        loading={<SkeletonText lines={3} />}
        empty={{ icon: <SquareSlash />, title: text('empty'), text: text('emptyHint') }}
      >
        {(prompt) => <PromptRow key={prompt.id} prompt={prompt} onEdit={() => setEdited(prompt)} />}
      </ListCard>
      {edited !== undefined && (
        <PromptDialog key={edited?.id ?? 'new'} prompt={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

function PromptRow({ prompt, onEdit }: { prompt: PromptJson; onEdit: () => void }) {
  const text = useText('prompts')
  const remove = useRemoval({
    question: text('deleteQuestion', { name: prompt.title }),
    confirmLabel: text('delete'),
    remove: () => call('DELETE /prompts/:id', { params: { id: prompt.id } }),
    failed: text('deleteFailed'),
    queryKey: promptsQuery.queryKey,
  })
  return (
    <li className="flex items-start gap-2 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-14 font-medium">
          <span className="min-w-0 wrap-anywhere">{prompt.title}</span>
          <code className="font-mono text-12 font-normal text-muted">/{prompt.command}</code>
        </p>
        <p className="line-clamp-2 text-13 wrap-anywhere text-muted">{prompt.text}</p>
      </div>
      <IconButton
        size="sm"
        name={text('editOne', { name: prompt.title })}
        icon={<Pencil aria-hidden />}
        onClick={onEdit}
      />
      <IconButton
        size="sm"
        variant="danger"
        name={text('deleteOne', { name: prompt.title })}
        icon={<Trash2 aria-hidden />}
        loading={remove.isPending}
        onClick={remove.ask}
      />
    </li>
  )
}
