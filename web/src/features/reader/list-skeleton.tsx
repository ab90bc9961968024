const widths = [88, 72, 94, 60, 81, 90, 67, 76];

/** Eight rows of the height that the view gives to its rows. */
export function ListSkeleton() {
  return (
    <div aria-hidden="true">
      {widths.map((width) => (
        <div key={width} className="line">
          <div className="row">
            <div className="words">
              <div className="skeleton h-4" style={{ width: `${width}%` }} />
              <div className="skeleton mt-2 h-3 w-1/3" />
            </div>
          </div>
        </div>
      ))}
    </div>
  );
}
