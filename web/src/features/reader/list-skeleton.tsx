export function ListSkeleton() {
  return (
    <div aria-hidden="true">
      {[88, 72, 94, 60, 81, 90, 67, 76].map((width) => (
        <div key={width} className="row">
          <span />
          <div className="pt-1">
            <div className="skeleton h-4" style={{ width: `${width}%` }} />
            <div className="skeleton mt-2 h-4" style={{ width: `${width * 0.6}%` }} />
            <div className="skeleton mt-2 h-3 w-1/3" />
          </div>
        </div>
      ))}
    </div>
  );
}
