/** Text of an answer as it's written, where its Markdown isn't rendered. */
export function PlainText({ text }: { text: string }) {
  return (
    <div dir="auto" className="leading-relaxed break-words whitespace-pre-wrap">
      {text}
    </div>
  )
}
