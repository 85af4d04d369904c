import { AudioLines, FileText, Film, Image } from 'lucide-react'

const icons = { image: Image, video: Film, audio: AudioLines, document: FileText }

/** The mark of a kind of file; decoration, the kind is said in words beside it. */
export function MediaIcon({ type, className }: { type: keyof typeof icons; className?: string }) {
  const Icon = icons[type]
  return <Icon aria-hidden className={className} />
}
