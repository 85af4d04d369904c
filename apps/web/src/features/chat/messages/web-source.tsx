import type { Source } from '@mira/shared'
import { can } from '@mira/shared/access'
import { useMutation } from '@tanstack/react-query'
import { BookmarkCheck, BookmarkPlus } from 'lucide-react'
import { keepPage } from '../../../lib/api/library.ts'
import { linkTarget } from '../../../lib/format/inline-text.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'

/** The address of a source that is a page of the web; null for others, and for one that nobody should be sent to. */
export function webAddressOf({ url }: Source): string | null {
  const target = linkTarget(url, '')
  return target?.kind === 'outside' ? target.url : null
}

/** Keeps a page of the web in the memory, with its address and date. */
export function KeepPage({ source, address }: { source: Source; address: string }) {
  const text = useText('chat')
  const errorText = useErrorText()
  const user = useUser()
  const keep = useMutation({
    mutationFn: () => keepPage(address),
    onSuccess: ({ isKnown }) => showToast({ tone: 'success', title: text(isKnown ? 'web.keptBefore' : 'web.kept') }),
    onError: (error) => showToast({ tone: 'danger', title: text('web.keepFailed'), description: errorText(error) }),
  })
  if (!can(user, 'upload')) return null
  return (
    <IconButton
      size="sm"
      name={text(keep.isSuccess ? 'web.isKept' : 'web.keep', { title: source.title })}
      icon={keep.isSuccess ? <BookmarkCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
      loading={keep.isPending}
      disabled={keep.isSuccess}
      onClick={() => keep.mutate()}
    />
  )
}
